package intent

import (
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

var namedTask = lazyregexp.New(
	`(?is)^(?:(?:for|about|on|in|to) )?task #?(\d{1,3})\s*(?:[:,.–—-]|\))\s*(\S.*)$`)

// taskNamed reads a message such as "task 2: keep the name". It returns the task's number and the rest of the
// message, or 0 and the whole text if no task is named.
func taskNamed(t words.Text) (number int, rest string) {
	m := namedTask.FindStringSubmatch(t.Plain)
	if m == nil {
		return 0, t.Plain
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n == 0 {
		return 0, t.Plain
	}
	return n, strings.TrimSpace(m[2])
}
