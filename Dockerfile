# A Raymond worker: Raymond, Claude Code and what scripts usually need. Add the tool chain of your projects in an image
# of your own: FROM raymond-worker.

# Debian, because Temporal's native core needs glibc; Node 22, because Claude Code asks for it.
FROM node:22-bookworm-slim AS build
WORKDIR /opt/raymond
# Dependencies first: they are installed anew only when the lock file changes.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY scripts scripts
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts && node scripts/image/slim.mjs /opt/raymond

FROM node:22-bookworm-slim
# tini is process 1 and reaps what agents leave behind; procps and util-linux (setpriv) are how Raymond ends process trees.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bash ca-certificates git openssh-client procps tini util-linux \
  && apt-get clean \
  && rm -rf /var/lib/apt/lists/*

# The version Raymond is tested with. Its install script puts the native binary in place, so it must run; the last command proves it.
ARG CLAUDE_CODE_VERSION=2.1.329
RUN npm install --global "@anthropic-ai/claude-code@${CLAUDE_CODE_VERSION}" \
  && npm cache clean --force \
  && claude --version

COPY --from=build /opt/raymond/package.json /opt/raymond/package.json
COPY --from=build /opt/raymond/node_modules /opt/raymond/node_modules
COPY --from=build /opt/raymond/bin /opt/raymond/bin
COPY --from=build /opt/raymond/dist /opt/raymond/dist
COPY workflows /opt/raymond/workflows
COPY skill /opt/raymond/skill
COPY schemas /opt/raymond/schemas
RUN chmod +x /opt/raymond/bin/raymond.js && ln -s /opt/raymond/bin/raymond.js /usr/local/bin/raymond

# Not root: Claude Code refuses to skip permissions for root, and files in a mounted project should belong to its owner. An empty volume on
# /srv/raymond, the project of a host of a fleet, takes its owner from here.
ARG USER_ID=1000
ARG GROUP_ID=1000
RUN groupmod --non-unique --gid "$GROUP_ID" node \
  && usermod --non-unique --uid "$USER_ID" --gid "$GROUP_ID" node \
  && mkdir -p /srv/raymond/.raymond \
  && chown -R node:node /home/node /srv/raymond
USER node
WORKDIR /home/node

# Without -g: a stop must reach the worker alone, which then lets its turns end.
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["raymond", "--help"]
