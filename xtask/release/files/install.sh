#!/bin/sh
# Installs verbatim @VERSION@: checks the archive for this machine against SHA256SUMS, and copies the program.
#
#   sh install.sh [--from FOLDER_OR_URL] [--to FOLDER]
#
# --from  where the archives and SHA256SUMS are: a folder, file:// or https://  [default: the folder of this script]
# --to    where the program goes                                               [default: ~/.local/bin]
set -eu

version=@VERSION@
from=
to=

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
        --from) [ $# -gt 1 ] || fail '--from needs a folder or an address'; from=$2; shift 2 ;;
        --to) [ $# -gt 1 ] || fail '--to needs a folder'; to=$2; shift 2 ;;
        --help | -h) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) fail "unknown argument: $1; \`sh install.sh --help\` lists them" ;;
    esac
done

[ -n "$from" ] || from=$(cd "$(dirname "$0")" && pwd)
if [ -z "$to" ]; then
    [ -n "${HOME:-}" ] || fail 'HOME is not set: name a folder with --to'
    to=$HOME/.local/bin
fi

system=$(uname -s)
machine=$(uname -m)
case $system in
    Linux) system=linux ;;
    Darwin) system=macos ;;
    *) fail "there is no program for $system; build it from source: see README.md" ;;
esac
case $machine in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no program for $machine; build it from source: see README.md" ;;
esac
archive=verbatim-$version-$machine-$system.tar.gz

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

fetch() {
    case $from in
        https://*)
            if command -v curl >/dev/null 2>&1; then
                curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$folder/$1" "$from/$1"
            elif command -v wget >/dev/null 2>&1; then
                wget --https-only --quiet --output-document "$folder/$1" "$from/$1"
            else
                fail 'neither curl nor wget is installed'
            fi
            ;;
        file://*) cp "${from#file://}/$1" "$folder/$1" ;;
        *://*) fail "$from: expected a folder, or an address that begins with https:// or file://" ;;
        *) cp "$from/$1" "$folder/$1" ;;
    esac || fail "$from/$1 can't be read"
}

fetch SHA256SUMS
expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$folder/SHA256SUMS")
[ -n "$expected" ] || fail "SHA256SUMS of $from doesn't name $archive: there is no program for this machine there"
fetch "$archive"
if command -v sha256sum >/dev/null 2>&1; then
    sum=$(sha256sum "$folder/$archive" | cut -d ' ' -f 1)
elif command -v shasum >/dev/null 2>&1; then
    sum=$(shasum -a 256 "$folder/$archive" | cut -d ' ' -f 1)
else
    fail 'neither sha256sum nor shasum is installed: the archive can not be checked'
fi
[ "$sum" = "$expected" ] || fail "$archive has the SHA-256 sum $sum, and SHA256SUMS says $expected: nothing is installed"

tar -xzf "$folder/$archive" -C "$folder"
mkdir -p "$to"
# Beside the old one first: a running program can't be overwritten, and one that is cut off never lies there.
cp "$folder/verbatim-$version-$machine-$system/verbatim" "$to/.verbatim.new"
chmod 755 "$to/.verbatim.new"
mv -f "$to/.verbatim.new" "$to/verbatim"
printf 'verbatim %s is in %s\n' "$version" "$to"
case :${PATH:-}: in
    *:"$to":*) printf 'Start it with: verbatim serve\n' ;;
    *) printf 'Start it with: %s/verbatim serve\n%s is not on your PATH\n' "$to" "$to" ;;
esac
