package people

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// Slack's texts refer to people, channels, groups, dates and addresses by ids between angle brackets. Models
// get names instead.
// https://docs.slack.dev/messaging/formatting-message-text#advanced

// maxMentions is how many names are looked up for one text; further ids stay as they are.
const maxMentions = 100

var mention = lazyregexp.New(`<([@#!])([^<>|\n]{1,200})(?:\|([^<>\n]{0,500}))?>|<((?:https?|mailto|tel|` +
	`slack):[^<>|\s]+)(?:\|([^<>\n]{0,500}))?>`)

// Readable returns a text with names in place of ids, for models. Do not base decisions on it, since people
// choose their names freely.
func (d *Directory) Readable(ctx context.Context, text string) string {
	looked := 0
	return mention.ReplaceAllStringFunc(text, func(found string) string {
		if looked++; looked > maxMentions {
			return found
		}
		m := mention.FindStringSubmatch(found)
		sigil := m[1]
		what := m[2]
		label := mrkdwn.OneLine(m[3], 80)
		address := m[4]
		words := mrkdwn.OneLine(m[5], 500)
		switch {
		case address != "" && (words == "" || words == address || "mailto:"+words == address):
			return strings.TrimPrefix(address, "mailto:")
		case address != "":
			return words + " (" + address + ")"
		case sigil == "@" && anID(what, "UW"):
			return "@" + d.DisplayName(ctx, what)
		case sigil == "#" && anID(what, "CGD"):
			return "#" + cmp.Or(label, d.channelName(ctx, what))
		case sigil == "!":
			return d.readableSpecial(ctx, what, label, found)
		}
		return found
	})
}

// readableSpecial translates a mention that begins with an exclamation mark: a group, a date, or everyone.
func (d *Directory) readableSpecial(ctx context.Context, what, label, found string) string {
	kind, rest, _ := strings.Cut(what, "^")
	switch {
	case kind == "subteam" && anID(rest, "S"):
		return "@" + strings.TrimPrefix(cmp.Or(label, d.groupHandle(ctx, rest)), "@")
	case kind == "date" && label != "":
		return label
	case kind == "here", kind == "channel", kind == "everyone", kind == "group":
		return "@" + kind
	}
	return found
}

var idForm = lazyregexp.New(`^[A-Z][A-Z0-9]{1,20}$`)

func anID(s, letters string) bool {
	return idForm.MatchString(s) && strings.ContainsRune(letters, rune(s[0]))
}

// cachedName returns the name of an id from the cache or from Slack, or the id if the name cannot be read.
func (d *Directory) cachedName(id string, read func() (string, error)) string {
	return d.cached(id, func() (name, error) {
		shown, err := read()
		return name{shown: shown}, err
	}).shown
}

// cached returns what the cache or Slack knows of an id, which is its own name if it cannot be read.
func (d *Directory) cached(id string, read func() (name, error)) name {
	d.mu.Lock()
	kept, known := d.names[id]
	d.mu.Unlock()
	if known && time.Since(kept.at) < nameCacheLife {
		return kept
	}
	now, err := read()
	if err != nil || now.shown == "" {
		d.Slack.Log().Warn("cannot read a name", "id", id, "err", err)
		now.shown = id
		if bot.ErrorCode(err) == "" {
			return now // not cached, so it is retried next time
		}
	}
	now.at = time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.names == nil || len(d.names) >= maxNames {
		d.names = map[string]name{}
	}
	d.names[id] = now
	return now
}

func (d *Directory) channelName(ctx context.Context, id string) string {
	return d.cachedName(id, func() (string, error) {
		var c *slack.Channel
		err := d.Slack.Call(ctx, func() (err error) {
			c, err = d.Slack.API.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{
				ChannelID: id,
			})
			return err
		})
		if err != nil {
			return "", fmt.Errorf("conversations.info of %s: %w", id, err)
		}
		return mrkdwn.OneLine(c.Name, 80), nil
	})
}

func (d *Directory) groupHandle(ctx context.Context, id string) string {
	return d.cachedName(id, func() (string, error) {
		var groups []slack.UserGroup
		err := d.Slack.Call(ctx, func() (err error) {
			groups, err = d.Slack.API.GetUserGroupsContext(ctx)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("usergroups.list: %w", err)
		}
		for _, g := range groups {
			if g.ID == id {
				return mrkdwn.OneLine(cmp.Or(g.Handle, g.Name), 80), nil
			}
		}
		return id, nil
	})
}
