# A Raymond worker: Raymond, Claude Code and what scripts usually need. Add the tool chain of your projects in an image
# of your own: FROM raymond-worker.

# Debian, because Temporal's native core needs glibc; Node 22, because Claude Code asks for it.
FROM node:22-bookworm-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends binutils ca-certificates
# The symbols of Node.js are 18 MB, and only a debugger reads them.
RUN strip --strip-unneeded -o /opt/node /usr/local/bin/node && /opt/node --version
# The version Raymond is tested with. Its install script puts the native program in place, so it must run.
ARG CLAUDE_CODE_VERSION=2.1.329
RUN npm install --global "@anthropic-ai/claude-code@${CLAUDE_CODE_VERSION}" \
  && cp "$(readlink --canonicalize "$(command -v claude)")" /opt/claude
WORKDIR /opt/raymond
# Dependencies first: they are installed again only when the lock file changes.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY scripts scripts
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts && node scripts/image/slim.mjs /opt/raymond

FROM debian:bookworm-slim
# tini is process 1 and reaps what agents leave behind; procps and util-linux (setpriv) are how Raymond ends process trees; libstdc++ is for
# Node.js. Git comes without its servers (13 MB) and without Perl (54 MB), which sends mail and talks to Subversion and CVS: with the
# dependency out of the list, apt removes Perl, and installs it again where a package of yours needs it.
RUN printf 'path-exclude /usr/%s\n' bin/git-shell bin/scalar lib/git-core/git-daemon lib/git-core/git-http-backend \
    lib/git-core/git-http-push lib/git-core/git-imap-send lib/git-core/git-shell lib/git-core/scalar \
    >/etc/dpkg/dpkg.cfg.d/raymond \
  && apt-get update \
  && apt-get install --yes --no-install-recommends \
    bash ca-certificates git libstdc++6 openssh-client procps tini util-linux \
  && sed --in-place '/^Package: git$/,/^$/s/ perl, liberror-perl,//' /var/lib/dpkg/status \
  && apt-get -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false \
    autoremove --yes --purge \
  && apt-get check \
  && apt-get clean \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /usr/share/doc /usr/share/man

COPY --from=build /opt/node /usr/local/bin/node
COPY --from=build /opt/claude /usr/local/bin/claude
COPY --from=build /opt/raymond/package.json /opt/raymond/package.json
COPY --from=build /opt/raymond/node_modules /opt/raymond/node_modules
COPY --from=build /opt/raymond/bin /opt/raymond/bin
COPY --from=build /opt/raymond/dist /opt/raymond/dist
COPY workflows /opt/raymond/workflows
COPY skill /opt/raymond/skill
COPY schemas /opt/raymond/schemas
# The last commands prove what was copied.
RUN chmod +x /opt/raymond/bin/raymond.js \
  && ln -s /opt/raymond/bin/raymond.js /usr/local/bin/raymond \
  && ln -s raymond /usr/local/bin/ray \
  && HOME=/tmp/proof claude --version \
  && HOME=/tmp/proof raymond --version \
  && rm -rf /tmp/*

# Not root: Claude Code refuses to skip permissions for root, and files in a mounted project should belong to its owner. An empty volume on
# /srv/raymond, the project of a host of a fleet, takes its owner from here.
ARG USER_ID=1000
ARG GROUP_ID=1000
RUN groupadd --non-unique --gid "$GROUP_ID" node \
  && useradd --non-unique --uid "$USER_ID" --gid "$GROUP_ID" --create-home --shell /bin/bash node \
  && mkdir -p /srv/raymond/.raymond \
  && chown -R node:node /home/node /srv/raymond
USER node
WORKDIR /home/node

# Without -g: a stop must reach the worker alone, which then lets its turns end.
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["raymond", "--help"]
