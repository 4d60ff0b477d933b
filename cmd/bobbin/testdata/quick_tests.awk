# Runs the shop's tests for stories about what surrounds a proof, where Go would need seconds of the processor for
# each proof. It prints the events of go test -json. A test passes if the file that its line names holds these texts,
# and none of those after an exclamation mark. What stands in a block comment of its own lines is no code:
#
#	func TestX(t *testing.T) { // needs money/split.go: one text; another text; !a third one

function event(action, package, test, more) {
	printf "{\"Action\":\"%s\",\"Package\":\"%s\",\"Test\":\"%s\"%s}\n", action, package, test, more
}

# wrong returns the first of the texts that the file lacks, or should not hold, or an empty string.
function wrong(file, texts,    all, line, parts, i, n, not, comment) {
	while ((getline line < file) > 0) {
		if (line == "/*") comment = 1
		if (!comment) all = all line "\n"
		if (line == "*/") comment = 0
	}
	close(file)
	n = split(texts, parts, "; ")
	for (i = 1; i <= n; i++) {
		not = sub(/^!/, "", parts[i])
		if (!index(all, parts[i]) != not) return file (not ? " still has " : " lacks ") parts[i]
	}
	return ""
}

/^func Test/ {
	test = substr($2, 1, index($2, "(") - 1)
	package = "example.com/shop/" FILENAME
	sub(/\/[^\/]*$/, "", package)
	why = ""
	if (match($0, /\/\/ needs [^:]*: /)) {
		file = substr($0, RSTART + 9, RLENGTH - 11)
		why = wrong(file, substr($0, RSTART + RLENGTH))
	}
	if (why == "") {
		event("pass", package, test)
		next
	}
	gsub(/["\\]/, "\\\\&", why)
	event("output", package, test, ",\"Output\":\"" why "\\n\"")
	event("fail", package, test)
	failed = 1
}

END { exit failed }
