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
