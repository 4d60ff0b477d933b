package patch

import (
	"regexp"

	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// diffNoise are the hashes of files in a diff, and the line that git takes for a hunk's heading,
// which looks like one of the change. Lines of files begin with a mark of their own.
var diffNoise = regexp.MustCompile(`(?m)^index [0-9a-f]{7,}\.\.[0-9a-f]{7,}.*\n|^(@@ [-+0-9, ]+ @@).+$`)

// ShowDiff is a diff as models read it.
func ShowDiff(text string) string { return workfile.ShowLines(diffNoise.ReplaceAllString(text, "$1")) }
