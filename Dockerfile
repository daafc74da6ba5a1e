# confide in a container: not root, no shell history, nothing but Python and the program.
#
#   docker build -t confide .
#   docker run --rm confide demo
#   buildah build --isolation chroot --build-arg BASE=… -t confide .
ARG BASE=docker.io/library/python:3.13-slim-bookworm

FROM ${BASE} AS build
WORKDIR /source
RUN python3 -m venv /opt/confide
ARG EXTRAS=anthropic,voyage,openai,discord
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY src ./src
RUN /opt/confide/bin/pip install --quiet --no-cache-dir --constraint requirements.lock ".[${EXTRAS}]" \
    && /opt/confide/bin/pip uninstall --quiet --yes pip

FROM ${BASE}
# PostgreSQL asks for the name of the user it runs as, so the user needs one.
RUN useradd --system --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin confide \
    && install --directory --owner confide --group confide --mode 0700 /data
COPY --from=build /opt/confide /opt/confide
ENV PATH=/opt/confide/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CONFIDE_HOME=/data \
    CONFIDE_HOST=0.0.0.0 \
    CONFIDE_PORT=8765
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python3", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"CONFIDE_PORT\"]}/readyz', timeout=4)"]
ENTRYPOINT ["confide"]
CMD ["serve"]
