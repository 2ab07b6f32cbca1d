#!/bin/sh
# Installs b2c-run from this folder.
# Usage: ./install.sh [PREFIX]             by default /usr/local; ~/.local needs no root
#        ./install.sh --remove [PREFIX]    removes what this script has installed
set -eu
cd "$(dirname "$0")"

action=install
if [ "${1:-}" = --remove ]; then
  action=remove
  shift
fi
case ${1:-} in
  -*)
    echo "usage: $0 [--remove] [PREFIX]" >&2
    exit 2
    ;;
esac
prefix=${1:-/usr/local}

# The folders of other programs have other files, too, so a list tells which are to be removed.
list=$prefix/share/b2c-run/installed-files
if [ $action = remove ]; then
  [ -e "$list" ] || {
    echo "install.sh: b2c-run is not installed below $prefix: there is no $list" >&2
    exit 1
  }
  while read -r file; do rm -f "$prefix/$file"; done <"$list"
  rm -f "$list"
  for folder in share/b2c-run share/doc/b2c-run libexec/b2c-run; do
    [ ! -d "$prefix/$folder" ] || find "$prefix/$folder" -depth -type d -empty -delete
  done
  echo "b2c-run was removed from $prefix"
  exit 0
fi

# The path becomes a part of the systemd units, where other characters mean something.
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
case $prefix in
  *[!A-Za-z0-9/._+@-]*)
    echo "install.sh: the folder '$prefix' has a character other than letters, digits and /._+@-" >&2
    echo "Nothing was installed. Give another folder: $0 PREFIX" >&2
    exit 2
    ;;
esac
mkdir -p "$prefix" || exit
prefix=$(cd "$prefix" && pwd)
files=$(find bin lib libexec share -type f | sort)
for file in $files; do
  mkdir -p "$prefix/$(dirname "$file")"
  # A running program keeps its file, since the new one gets another.
  rm -f "$prefix/$file"
  # The files belong to whoever installs them, and not to whoever unpacked them.
  mode=644
  [ ! -x "$file" ] || mode=755
  install -m "$mode" "$file" "$prefix/$file"
done
for unit in service socket; do
  sed "s|^ExecStart=/*bin/|ExecStart=$prefix/bin/|" "lib/systemd/system/b2c-run.$unit" >"$prefix/lib/systemd/system/b2c-run.$unit"
done
printf '%s\n' "$files" >"$prefix/share/b2c-run/installed-files"

missing=$(ldd "$prefix/bin/b2c-run" | sed -n 's/ => not found//p')
if [ -n "$missing" ]; then
  echo "b2c-run needs these libraries, which are not installed:" $missing >&2
  echo "On Debian and Ubuntu: apt install liblua5.4-0 libjansson4 libsqlite3-0 libargon2-1 libstdc++6" >&2
  exit 1
fi
echo "$("$prefix/bin/b2c-run" --version) is installed below $prefix"
case :$PATH: in *":$prefix/bin:"*) ;; *) echo "Add $prefix/bin to your PATH." ;; esac
