# Downloads the modules of go.sum one by one, and without the module graph, which has gaps. Builds check the
# hashes of go.sum.
find . -name go.sum -o -name go.work.sum | xargs cat |
  awk -v zips="$TMPDIR/zips" -v graph="$TMPDIR/graph" 'NF == 3 && !seen[$1 " " $2]++ {
  if (sub("/go.mod$", "", $2)) print $1 "@" $2 >graph; else print $1 "@" $2 >zips
}'
touch "$TMPDIR/zips" "$TMPDIR/graph"
mkdir -p "$TMPDIR/alone" && cd "$TMPDIR/alone" || exit
export GOFLAGS=-modcacherw GOSUMDB=off GOWORK=off
xargs -n 100 go mod download -json <"$TMPDIR/zips" >"$TMPDIR/zips.json" 2>"$TMPDIR/zips.err"
xargs -n 100 go list -m -e -json <"$TMPDIR/graph" >"$TMPDIR/graph.json" 2>"$TMPDIR/graph.err"
cat "$TMPDIR/zips.json" "$TMPDIR/graph.json" | awk -F'"' '
  /^{/ { path = version = why = "" }
  /^\t"Path":/ { path = $4 }
  /^\t"(Version|Query)":/ { version = $4 }
  /^\t"Error": *"/ { why = $0; sub(/^\t"Error": *"/, "", why) }
  /^\t"Error": *{/ { inside = 1 }
  inside && /"Err":/ { why = $0; sub(/^.*"Err": *"/, "", why); inside = 0 }
  /^}/ && why != "" && !seen[path version]++ { print path "\t" version "\t\t" why }
' >"$TMPDIR/lacking.tsv"
test -s "$TMPDIR/lacking.tsv" && grep -q '"Zip"' "$TMPDIR/zips.json"
