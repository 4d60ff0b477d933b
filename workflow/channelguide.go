package workflow

import (
	_ "embed"
	"strings"
)

//go:embed channelguide.md
var channelGuide string

// ChannelGuide returns, as Markdown, one screen that tells the people of a channel how to use Bobbin there.
// docs/for-people.md shows the same text.
func ChannelGuide() string { return strings.TrimSpace(channelGuide) }

// ChannelGuideLine returns the guide as a line of that agent. The program vouches for what the guide says of
// its mark, since nothing else that is posted keeps it.
func ChannelGuideLine(agent string) Line {
	l := Line{Agent: agent, Text: ChannelGuide()}
	for i, line := range strings.Split(l.Text, "\n") {
		if strings.HasPrefix(line, Mark) {
			l.Vouched = append(l.Vouched, i)
		}
	}
	return l
}

// A ChannelGuideState says whether a channel has that message.
type ChannelGuideState struct {
	Channel string
	By      string // Slack id of the person who asked for it; empty: nobody did
	TS      string // of the message; empty: it is not in Slack
	Pinned  bool
	Refused string // why Slack does not take the message or its pin; an error code
}
