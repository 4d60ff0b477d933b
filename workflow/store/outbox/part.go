package outbox

import (
	"regexp"
	"slices"
	"strings"
)

// addressReplies returns the text of a line of a part of a thread. The replies that the program itself
// proposes begin with the name of the part's repository: without it they are for the thread's own session,
// and "fix it" would approve what waits there.
func addressReplies(text string, vouched []int, part string) string {
	if part == "" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if slices.Contains(vouched, i) {
			lines[i] = proposed.ReplaceAllStringFunc(line, func(replies string) string {
				return quoted.ReplaceAllStringFunc(replies, func(reply string) string {
					if strings.Contains(reply, part) {
						return reply
					}
					return `"` + part + ": " + reply[1:]
				})
			})
		}
	}
	return strings.Join(lines, "\n")
}

var (
	proposed = regexp.MustCompile(`(?i)\b(?:reply|write) "[^"]+"(?:(?:,|,? or) "[^"]+")*`)
	quoted   = regexp.MustCompile(`"[^"]+"`)
)
