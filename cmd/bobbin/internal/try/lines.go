package try

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/trial"
)

// Lines returns the lines of a configuration file with the settings that would help, each with its reason,
// or an empty string if there are none. They are a whole file, which the bot accepts.
func Lines(t trial.Trial) string {
	if len(t.Settings) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "repositories:\n  - name: %s\n    url: %s\n", t.Repository, strconv.Quote(t.URL))
	var done []string
	for _, s := range t.Settings {
		top := s.Key[0]
		if slices.Contains(done, top) {
			continue
		}
		done = append(done, top)
		if len(s.Key) == 1 {
			fmt.Fprintf(&b, "    # %s\n    %s: %s\n", s.Why, top, valueOf(s.Value))
			continue
		}
		fmt.Fprintf(&b, "    %s:\n", top)
		for _, below := range t.Settings {
			if below.Key[0] == top {
				fmt.Fprintf(&b, "      # %s\n      %s: %s\n", below.Why, below.Key[1], valueOf(below.Value))
			}
		}
	}
	return b.String()
}

// valueOf returns a value as YAML on one line.
func valueOf(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(v)
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = strconv.Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return fmt.Sprint(value)
}
