#!/usr/bin/env bash
# Build the image without Docker, on a Debian base made here, and run the demonstration in it: `make image`.
# It needs root, buildah and mmdebstrap. Arguments go to `buildah build`, such as a mirror of PyPI: `-v /etc/pip.conf:/etc/pip.conf:ro`.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
buildah=(buildah --root "$folder/root" --runroot "$folder/run" --storage-driver vfs)

mmdebstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$folder/base.tar"
base=$("${buildah[@]}" from scratch)
"${buildah[@]}" add "$base" "$folder/base.tar" /
"${buildah[@]}" commit "$base" localhost/base
"${buildah[@]}" build --isolation chroot --build-arg BASE=localhost/base "$@" -t confide .
"${buildah[@]}" run --isolation chroot "$("${buildah[@]}" from localhost/confide)" -- confide demo
