python3 "$TMPDIR/requirements.py" "$TMPDIR" || exit
install() {
  python3 -m pip install --only-binary=:all: --target "$PACKAGES/python" \
    -r "$TMPDIR/$1.txt" -c "$TMPDIR/exact.txt"
}
if test -s "$TMPDIR/wanted.txt"; then
  install wanted || { ! cmp -s "$TMPDIR/wanted.txt" "$TMPDIR/fewer.txt" && install fewer; } || exit
  python3 -m pip freeze --path "$PACKAGES/python" > bobbin-exact.txt
fi
# Without it the packages are there all the same.
python3 "$TMPDIR/metadata.py" || true
