package home

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// maxGuides is how many channels a home offers to tell how to use the bot.
const maxGuides = 10

// guides returns the channels that a full member may have told how to use the bot: those that the member and
// the bot are in, first those of repositories.
func (h *Homes) guides(
	ctx context.Context, channels []string,
) (list []workflow.ChannelGuideState, err error) {
	known, err := store.ListGuides(ctx, h.Store.DB)
	if err != nil {
		return nil, err
	}
	for _, ofRepository := range []bool{true, false} {
		for _, c := range channels {
			if !isChannel(c) || h.isRepositorys(c) != ofRepository {
				continue
			}
			state := workflow.ChannelGuideState{Channel: c}
			at := slices.IndexFunc(known, func(g workflow.ChannelGuideState) bool { return g.Channel == c })
			if at >= 0 {
				state = known[at]
			}
			list = append(list, state)
		}
	}
	return list[:min(len(list), maxGuides)], nil
}

// isChannel reports whether an id is that of a channel, and not of a direct message.
func isChannel(id string) bool { return id != "" && id[0] != 'D' }

func (h *Homes) isRepositorys(channel string) bool {
	for _, r := range h.Repositories {
		if slices.Contains(r.Channels, channel) {
			return true
		}
	}
	return false
}

// pressGuide has the guide posted and pinned in a channel, if the person is a full member who is in it. If
// Slack cannot be reached now, it is tried again later.
func (h *Homes) pressGuide(ctx context.Context, person workflow.Person, channel string) error {
	if person.ExclusionReason() != "" || person.Guest || h.PostGuides == nil {
		h.Log.Warn("somebody who is no full member wanted a guide posted", "user", person.ID)
		return nil
	}
	channels, err := h.Directory.Channels(ctx, person.ID)
	if err != nil {
		return fmt.Errorf("the channels of %s: %w", person.ID, err)
	}
	if !isChannel(channel) || !slices.Contains(channels, channel) {
		h.Log.Warn("somebody wanted a guide in a channel that they are not in", "user", person.ID,
			"channel", channel)
		return nil
	}
	if err := store.AskGuide(ctx, h.Store.DB, channel, person.ID); err != nil {
		return err
	}
	return h.PostGuides(ctx)
}
