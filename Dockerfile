# Builds svc from this folder: docker build -t svc .
# Everything it stores is in the volume /data: docker run --rm -it -v svc-data:/data svc
ARG BASE=node:22-bookworm-slim

FROM ${BASE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/svc
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund && printf 'container\n' > .install_method

FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/svc /opt/svc
RUN ln -s /opt/svc/dist/kernel/bin.cjs /usr/local/bin/svc && chmod 755 /opt/svc/dist/kernel/bin.cjs && install -d -o node -g node -m 700 /data /workspace
ENV SVC_HOME=/data
USER node
WORKDIR /workspace
VOLUME ["/data"]
ENTRYPOINT ["svc"]
CMD ["chat"]
