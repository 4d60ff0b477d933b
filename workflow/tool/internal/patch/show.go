package patch

import (
	"regexp"

	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// diffNoise matches the hashes of files in a diff, and the heading that git puts after the @@ of a hunk,
// which looks like a line of the change. It cannot match lines of files, which begin with a space, + or -.
var diffNoise = regexp.MustCompile(`(?m)^index [0-9a-f]{7,}\.\.[0-9a-f]{7,}.*\n|^(@@ [-+0-9, ]+ @@).+$`)

// ShowDiff returns a diff as models are shown it.
func ShowDiff(text string) string { return workfile.ShowLines(diffNoise.ReplaceAllString(text, "$1")) }
