package proof

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// TakenOver says in a line for people which runs were not run again, since an earlier process or turn had
// ended them, and when. It returns an empty string if there is none. At most maxNamed are named.
func TakenOver(runs []build.TakenRun) string {
	if len(runs) == 0 {
		return ""
	}
	var parts []string
	for _, r := range runs[:min(len(runs), maxNamed)] {
		parts = append(parts, fmt.Sprintf("%s (ended %s)", r.Name, r.Ended.UTC().Format("2 Jan 15:04 UTC")))
	}
	if more := len(runs) - len(parts); more > 0 {
		parts = append(parts, plaintext.CountNoun(more, "other"))
	}
	return "Not run again, since they had ended before with the same files, commands and packages: " +
		strings.Join(parts, ", ")
}
