#!/usr/bin/env bash
# What happens without an answer must be safe: nothing is bought.
echo '<result>No decision in time: nothing was bought.</result>'
