package host

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// trailers match, in the skeleton of a line, what git or people may take for a trailer: its name and its
// colon. A name with a hyphen, or one that the program or a host reads, counts where a line begins; one that
// says who did something wherever it stands.
var trailers = []*regexp.Regexp{
	regexp.MustCompile(`^[^a-z0-9"/.]*([a-z0-9]+(?:-[a-z0-9]+)+)["'\x60*_~\])} \t]*:`),
	regexp.MustCompile(
		`\b((?:approved|signed[ _-]*off|co[ _-]*(?:authored|committed|developed)|authored|committed|` +
			`reviewed|acked|acknowledged|tested|reported|suggested|requested|helped|merged|allowed|` +
			`permitted|verified|pushed|reported[ _-]*and[ _-]*tested|inspired|mentored|thanks|` +
			`cherry[ _-]*picked)[ _-]*(?:by|to|from))["'\x60*_~\])} \t]*:`,
	),
	regexp.MustCompile(
		`^[^a-z0-9"]*((?:session|unproven|fixes|closes|resolves|refs|references|cc|reviewers?|` +
			`approvers?|approvals?))["'\x60*_~\])} \t]*:(?:[^:/=]|$)`,
	),
}

// divider matches a line of dashes.
var divider = regexp.MustCompile(`(?m)^(-)(--)`)

// breakTrailers returns a text in which no line is a trailer: their names are quoted, in letters of ASCII. A
// line of dashes, behind which git looks for no trailers, is broken as well.
func breakTrailers(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for range 20 { // a line may have several
			broken, found := breakTrailer(line)
			if line = broken; !found {
				break
			}
		}
		lines[i] = line
	}
	return divider.ReplaceAllString(strings.Join(lines, "\n"), "$1 $2")
}

// breakTrailer quotes the first name of a trailer in a line that is not quoted yet.
func breakTrailer(line string) (broken string, found bool) {
	skeleton, at := plaintext.Skeleton(line)
	for _, t := range trailers {
		for _, m := range t.FindAllStringSubmatchIndex(skeleton, -1) {
			name := skeleton[m[2]:m[3]]
			quoted := m[2] > 0 && skeleton[m[2]-1] == '"' &&
				strings.HasPrefix(skeleton[m[3]:], `"`)
			if quoted || !letters.MatchString(name) {
				continue
			}
			written := line[at[m[2]]:at[m[3]]]
			if !strings.EqualFold(written, name) { // in letters that only look like these
				written = plaintext.Capitalize(name)
			}
			return line[:at[m[2]]] + `"` + written + `"` + line[at[m[3]]:], true
		}
	}
	return line, false
}

var letters = regexp.MustCompile(`[a-z]`)
