#!/bin/sh
# Installs b2c-run from this folder.
# Usage: ./install.sh [PREFIX]             by default /usr/local; ~/.local needs no root
#        ./install.sh --remove [PREFIX]    removes what this script has installed
set -eu

usage() {
  echo "usage: $0 [PREFIX]             installs b2c-run below PREFIX, or upgrades it; /usr/local if not given"
  echo "       $0 --remove [PREFIX]    removes what this script has installed"
}
action=install
case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
  --remove)
    action=remove
    shift
    ;;
esac
case ${1:-} in
  -*)
    usage >&2
    exit 2
    ;;
esac
prefix=${1:-/usr/local}
cd "$(dirname "$0")"

# Other programs have files and folders below the prefix, too. Two lists name the files and the folders of this script.
list=$prefix/share/b2c-run/installed-files
folder_list=$prefix/share/b2c-run/installed-folders
newline='
'

# Removes the empty folders of this script. Folders that were there before it, and the prefix, stay.
remove_empty_folders() {
  for folder in share/b2c-run share/doc/b2c-run libexec/b2c-run; do
    [ ! -d "$prefix/$folder" ] || find "$prefix/$folder" -depth -type d -empty -delete
  done
  # A folder comes after the folders that it contains.
  printf '%s\n' "$1" | sort -r | while read -r folder; do
    [ -z "$folder" ] || rmdir "$prefix/$folder" 2>/dev/null || true
  done
}

# Makes a folder below the prefix with its parents, and adds those that are new to `made`.
make_folder() {
  [ ! -d "$prefix/$1" ] || return 0
  make_folder "$(dirname "$1")"
  mkdir "$prefix/$1"
  made=$made$newline$1
}

# An earlier version wrote no list of folders.
made=
[ ! -e "$folder_list" ] || made=$(cat "$folder_list")
if [ $action = remove ]; then
  [ -e "$list" ] || {
    echo "install.sh: b2c-run is not installed below $prefix: there is no $list" >&2
    exit 1
  }
  while read -r file; do rm -f "$prefix/$file"; done <"$list"
  rm -f "$list" "$folder_list"
  remove_empty_folders "$made"
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
list=$prefix/share/b2c-run/installed-files
folder_list=$prefix/share/b2c-run/installed-folders
files=$(find bin lib libexec share -type f | sort)
# An upgrade removes the files that only the earlier version has.
if [ -e "$list" ]; then
  while read -r file; do
    case $newline$files$newline in *"$newline$file$newline"*) ;; *) rm -f "$prefix/$file" ;; esac
  done <"$list"
  remove_empty_folders "$made"
fi
for file in $files; do
  make_folder "$(dirname "$file")"
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
# The pages have units to copy.
for page in share/doc/b2c-run/*.md; do
  [ ! -e "$page" ] || sed "s|ExecStart=/*bin/|ExecStart=$prefix/bin/|" "$page" >"$prefix/$page"
done
printf '%s\n' "$files" >"$list"
printf '%s\n' "$made" | sort -u | while read -r folder; do
  [ -z "$folder" ] || [ ! -d "$prefix/$folder" ] || echo "$folder"
done >"$folder_list"

missing=$(ldd "$prefix/bin/b2c-run" | sed -n 's/ => not found//p')
if [ -n "$missing" ]; then
  echo "b2c-run needs these libraries, which are not installed:" $missing >&2
  echo "On Debian and Ubuntu: apt install liblua5.4-0 libjansson4 libsqlite3-0 libargon2-1" >&2
  exit 1
fi
version=$("$prefix/bin/b2c-run" --version) || {
  echo "install.sh: b2c-run does not start on this system; it needs glibc 2.36 or later" >&2
  exit 1
}
echo "$version is installed below $prefix"
case :$PATH: in *":$prefix/bin:"*) ;; *) echo "Add $prefix/bin to your PATH." ;; esac
