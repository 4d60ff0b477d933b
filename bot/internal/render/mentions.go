package render

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
)

// callable matches ids that can be mentioned: people and user groups.
var callable = regexp.MustCompile(`^(?:[UW]|S)[A-Z0-9]+$`)

// mentions returns the mentions that a line ends with. They come only from the line's Mentions, never from its
// text, and only ids that the configuration allows are mentioned, or any person if MentionsOwners is set.
func (s Style) mentions(l workflow.Line) string {
	var b strings.Builder
	for _, id := range l.Mentions {
		owner := s.MentionsOwners && !strings.HasPrefix(id, "S")
		if !callable.MatchString(id) || !owner && !slices.Contains(s.Mentionable, id) {
			continue
		}
		mention := "<@" + id + ">"
		if strings.HasPrefix(id, "S") {
			mention = "<!subteam^" + id + ">" // https://docs.slack.dev/messaging/formatting-message-text
		}
		b.WriteString(" " + mention)
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nFor" + b.String()
}
