# Prints for each pair of arguments (a tool, and a program or a pattern of paths) the versions that are installed:
# the tool, the path and the first lines of what the program says, separated by tabs. For the tool "package" it
# prints whether one of Debian's packages is installed.
ask() {
	case $1 in
	go) "$2" version ;;
	elixir) "$2" --version | tail -n 1 ;;
	*) "$2" --version ;;
	esac
}

while [ $# -gt 1 ]; do
	if [ "$1" = package ]; then
		if [ -e /usr/bin/dpkg ]; then
			if [ -e "/usr/share/doc/$2" ]; then said=installed; else said=missing; fi
			printf '%s\t%s\t%s\n' "$1" "$2" "$said"
		fi
	else
		for path in $2; do
			case $path in *-config | *[!0-9]m) continue ;; esac
			if command -v "$path" >/dev/null; then
				said=$(ask "$1" "$path" 2>&1 </dev/null | head -n 3 | tr '\n\t' '  ' | cut -c 1-200)
				printf '%s\t%s\t%s\n' "$1" "$path" "$said"
			fi
		done
	fi
	shift 2
done
