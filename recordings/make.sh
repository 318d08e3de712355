#!/bin/sh
# Makes the recordings of this folder anew, from Chromium through the bridge on the demonstration application.
# Needs chromium and chromedriver (Debian: chromium chromium-driver).
#
#   recordings/make.sh [NAME...]      all flows of harness/flows by default
#
# What people wrote into a recording (notes.md, overlay.toml) and its snapshots are kept.
set -eu
cd "$(dirname "$0")/.."
cargo build --workspace
target=${CARGO_TARGET_DIR:-target}/debug
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
[ $# -gt 0 ] || set -- $(cd harness/flows && ls *.jsonl | sed 's/\.jsonl$//')
for name; do
    faults=harness/flows/$name.faults.toml
    if [ -f "$faults" ]; then
        "$target/harness" record "$name" --flow "harness/flows/$name.jsonl" --demo --faults "$faults" --recordings "$new"
    else
        "$target/harness" record "$name" --flow "harness/flows/$name.jsonl" --demo --recordings "$new"
    fi
    for kept in notes.md overlay.toml snapshots; do
        [ ! -e "recordings/$name/$kept" ] || cp -R "recordings/$name/$kept" "$new/$name/"
    done
    rm -rf "recordings/$name"
    cp -R "$new/$name" "recordings/$name"
done
"$target/harness" audit
