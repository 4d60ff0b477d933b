package proposal

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// maxNamed is how many paths of a change are named in a message.
const maxNamed = 20

// DecidingPaths returns the paths of a change that affect more than the code, each with how.
func DecidingPaths(changes []diff.Change) []string {
	var said []string
	for _, c := range changes {
		words := c.WiderEffect()
		if words == "" {
			continue
		}
		path := plaintext.CodeSpan(strings.Trim(strconv.Quote(c.Path), `"`))
		if c.Mode != "" {
			path += " (" + c.Mode + ")"
		}
		said = append(said, fmt.Sprintf("%s, %s: it %s", path, c.Kind, words))
	}
	if more := len(said) - maxNamed; more > 0 {
		said = append(said[:maxNamed], "and "+plaintext.CountNoun(more, "more file")+" like these; the diff has them")
	}
	return said
}
