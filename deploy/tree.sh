#!/bin/sh
# Lays out what the image has: TARGET/opt/drover with the package and exactly the dependencies of the lock file.
#   sh deploy/tree.sh drover-0.9.0.tgz package-lock.json TARGET
set -eu
tarball=$1 lock=$2 target=$3/opt/drover
mkdir -p "$target"
tar -xzf "$tarball" -C "$target" --strip-components=1 --no-same-owner
cp "$lock" "$target/package-lock.json"
npm ci --prefix "$target" --omit=dev --ignore-scripts --no-audit --no-fund --silent
rm "$target/package-lock.json"
chmod -R go-w,a+rX "$target"
