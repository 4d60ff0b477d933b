package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slack-go/slack"
)

// A NoChannelError says that the bot is in no channel with a name that the configuration has.
type NoChannelError struct {
	Name string   // of the channel
	Bot  string   // the bot's name
	Near []string // #names of the channels that the bot is in
}

func (n *NoChannelError) Error() string {
	return fmt.Sprintf("the bot is in no channel called #%s: write \"/invite @%s\" there, or check the name",
		n.Name, n.Bot)
}

// ChannelIDs returns the ids of channels that a configuration names by id (C0123ABCD) or by #name, in the
// same order. It looks a name up among the channels that the bot is a member of, since the bot gets no events
// from others. If there is none of that name, the error is a *NoChannelError.
func (s *Slack) ChannelIDs(ctx context.Context, channels []string) ([]string, error) {
	ids := make([]string, len(channels))
	var known map[string]string
	for i, c := range channels {
		name, named := strings.CutPrefix(c, "#")
		if !named {
			ids[i] = c
			continue
		}
		if known == nil {
			var err error
			if known, err = s.OwnChannels(ctx); err != nil {
				return nil, err
			}
		}
		if ids[i] = known[name]; ids[i] == "" {
			wrong := &NoChannelError{Name: name, Bot: s.self.Name}
			for other := range known {
				wrong.Near = append(wrong.Near, "#"+other)
			}
			slices.Sort(wrong.Near)
			return nil, wrong
		}
	}
	return ids, nil
}

// OwnChannels returns the ids of the channels that the bot is a member of, by channel name.
func (s *Slack) OwnChannels(ctx context.Context) (map[string]string, error) {
	known := map[string]string{}
	params := &slack.GetConversationsForUserParameters{
		Types:           []string{"public_channel", "private_channel"},
		Limit:           200,
		ExcludeArchived: true,
	}
	for range MaxPages {
		var page []slack.Channel
		var next string
		err := s.callAtStart(ctx, func() (err error) {
			page, next, err = s.API.GetConversationsForUserContext(ctx, params)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("list the bot's channels: %w", ExplainError(err, BotTokenName))
		}
		for _, c := range page {
			known[c.Name] = c.ID
		}
		if next == "" {
			break
		}
		params.Cursor = next
	}
	return known, nil
}

// OpenChannels returns the ids of the public channels that the bot sees and is not a member of, by channel
// name; at most 200, since they are for a person to choose from.
func (s *Slack) OpenChannels(ctx context.Context) (map[string]string, error) {
	known := map[string]string{}
	params := &slack.GetConversationsParameters{
		Types:           []string{"public_channel"},
		Limit:           200,
		ExcludeArchived: true,
	}
	err := s.callAtStart(ctx, func() error {
		page, _, err := s.API.GetConversationsContext(ctx, params)
		for _, c := range page {
			if !c.IsMember {
				known[c.Name] = c.ID
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the channels: %w", ExplainError(err, BotTokenName))
	}
	return known, nil
}
