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

var mention = lazyregexp.New(`<([@#!])([^<>|\n]{1,200})(?:\|([^<>\n]{0,500}))?>|<((?:https?|mailto|tel|slack):[^<>|\s]+)(?:\|([^<>\n]{0,500}))?>`)

// Readable returns a text with names in place of ids, for models. Do not base decisions on it, since people
// choose their names freely.
func (p *Directory) Readable(ctx context.Context, text string) string {
	looked := 0
	return mention.ReplaceAllStringFunc(text, func(found string) string {
		if looked++; looked > maxMentions {
			return found
		}
		m := mention.FindStringSubmatch(found)
		sigil, what, label, address, words := m[1], m[2], mrkdwn.OneLine(m[3], 80), m[4], mrkdwn.OneLine(m[5], 500)
		switch {
		case address != "" && (words == "" || words == address || "mailto:"+words == address):
			return strings.TrimPrefix(address, "mailto:")
		case address != "":
			return words + " (" + address + ")"
		case sigil == "@" && anID(what, "UW"):
			return "@" + p.DisplayName(ctx, what)
		case sigil == "#" && anID(what, "CGD"):
			return "#" + cmp.Or(label, p.channelName(ctx, what))
		case sigil == "!":
			return p.readableSpecial(ctx, what, label, found)
		}
		return found
	})
}

// readableSpecial translates a mention that begins with an exclamation mark: a group, a date, or everyone.
func (p *Directory) readableSpecial(ctx context.Context, what, label, found string) string {
	kind, rest, _ := strings.Cut(what, "^")
	switch {
	case kind == "subteam" && anID(rest, "S"):
		return "@" + strings.TrimPrefix(cmp.Or(label, p.groupHandle(ctx, rest)), "@")
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
func (p *Directory) cachedName(id string, read func() (string, error)) string {
	p.mu.Lock()
	kept, known := p.names[id]
	p.mu.Unlock()
	if known && time.Since(kept.at) < nameCacheLife {
		return kept.shown
	}
	shown, err := read()
	if err != nil || shown == "" {
		p.Slack.Log().Warn("cannot read a name", "id", id, "err", err)
		if bot.ErrorCode(err) == "" {
			return id // not cached, so it is retried next time
		}
		shown = id
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.names == nil || len(p.names) >= maxNames {
		p.names = map[string]name{}
	}
	p.names[id] = name{shown: shown, at: time.Now()}
	return shown
}

func (p *Directory) channelName(ctx context.Context, id string) string {
	return p.cachedName(id, func() (string, error) {
		var c *slack.Channel
		err := p.Slack.Call(ctx, func() (err error) {
			c, err = p.Slack.API.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: id})
			return err
		})
		if err != nil {
			return "", fmt.Errorf("conversations.info of %s: %w", id, err)
		}
		return mrkdwn.OneLine(c.Name, 80), nil
	})
}

func (p *Directory) groupHandle(ctx context.Context, id string) string {
	return p.cachedName(id, func() (string, error) {
		var groups []slack.UserGroup
		err := p.Slack.Call(ctx, func() (err error) {
			groups, err = p.Slack.API.GetUserGroupsContext(ctx)
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
