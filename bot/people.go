package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// People tells who somebody is and what was said in a thread. The zero value with Slack
// set is ready; it is safe for use by several goroutines.
type People struct {
	Slack *Slack

	trusting bool // tests only: send the token wherever an address leads

	mu    sync.Mutex
	names map[string]name      // by the id of whoever or whatever is called so
	full  map[string]time.Time // when somebody was a full member; see Outsiders
}

type name struct {
	shown string
	at    time.Time
}

// Person reads afresh who a user is: decisions rest on it. Whatever cannot be read is an
// error, and the caller refuses.
func (p *People) Person(ctx context.Context, thread workflow.Thread, user string) (workflow.Person, error) {
	u, err := p.user(ctx, user)
	if err != nil {
		return workflow.Person{}, err
	}
	member, err := p.isMember(ctx, thread.Channel, user)
	if err != nil {
		return workflow.Person{}, err
	}
	who := p.person(u)
	who.InThread = member
	return who, nil
}

// person is what Slack says of somebody, whatever channel they are in.
func (p *People) person(u *slack.User) workflow.Person {
	self := p.Slack.self
	return workflow.Person{
		ID: u.ID, Name: shownName(u), Team: u.TeamID, Deleted: u.Deleted,
		Bot:      u.IsBot || u.IsWorkflowBot || u.IsConnectorBot || u.ID == "USLACKBOT" || u.ID == self.User,
		Admin:    u.IsAdmin || u.IsOwner || u.IsPrimaryOwner,
		Guest:    u.IsRestricted || u.IsUltraRestricted,
		Stranger: u.IsStranger || !p.atHome(u),
	}
}

// atHome: the account is of this workspace.
func (p *People) atHome(u *slack.User) bool {
	self := p.Slack.self
	return u.TeamID == self.Team || slices.Contains(u.Enterprise.Teams, self.Team)
}

func (p *People) user(ctx context.Context, id string) (u *slack.User, err error) {
	err = p.Slack.patiently(ctx, func() error {
		u, err = p.Slack.api.GetUserInfoContext(ctx, id)
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("users.info of %s: %w", id, p.Slack.explain(err, botTokenName))
	case u.ID != id:
		return nil, fmt.Errorf("users.info of %s told of %q", id, u.ID)
	}
	return u, nil
}

// maxPages bounds what is read of a long list: 200,000 members, 50,000 replies.
const maxPages = 200

func (p *People) isMember(ctx context.Context, channel, user string) (is bool, err error) {
	err = p.members(ctx, channel, func(member string) (bool, error) {
		is = member == user
		return is, nil
	})
	return is, err
}

// members gives each member of a channel until done or an error.
func (p *People) members(ctx context.Context, channel string, each func(user string) (done bool, err error)) error {
	params := &slack.GetUsersInConversationParameters{ChannelID: channel, Limit: 1000}
	for range maxPages {
		var members []string
		var next string
		err := p.Slack.patiently(ctx, func() (err error) {
			members, next, err = p.Slack.api.GetUsersInConversationContext(ctx, params)
			return err
		})
		if err != nil {
			return fmt.Errorf("conversations.members of %s: %w", channel, p.Slack.explain(err, botTokenName))
		}
		for _, m := range members {
			if done, err := each(m); done || err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		params.Cursor = next
	}
	return errors.New("conversations.members of " + channel + ": too many pages")
}

// Group is who is in a user group (S…), read afresh.
func (p *People) Group(ctx context.Context, group string) (users []string, err error) {
	err = p.Slack.patiently(ctx, func() error {
		users, err = p.Slack.api.GetUserGroupMembersContext(ctx, group)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("usergroups.users.list of %s: %w", group, p.Slack.explain(err, botTokenName))
	}
	return users, nil
}

// nameLife is how long a name is taken to be the same.
const nameLife = 10 * time.Minute

// maxNames bounds the names that are kept.
const maxNames = 5000

// DisplayName is what a user is called, for prompts and lines; never for decisions. The
// id stands for a name that cannot be read.
func (p *People) DisplayName(ctx context.Context, user string) string {
	return p.called(user, func() (string, error) {
		u, err := p.user(ctx, user)
		if err != nil {
			return "", err
		}
		return shownName(u), nil
	})
}

// shownName is one line of somebody else's choosing, so it is cut and cleaned.
func shownName(u *slack.User) string {
	return oneLine(cmp.Or(u.Profile.DisplayName, u.RealName, u.Profile.RealName, u.Name, u.ID), 80)
}

// newest is how many replies of a long thread are kept, beside its root.
const newest = 200

// Earlier is what the thread holds, oldest first: its root and the newest 200 replies.
func (p *People) Earlier(ctx context.Context, thread workflow.Thread) ([]workflow.Said, error) {
	var root []slack.Message
	var replies []slack.Message
	count := 0
	err := p.Slack.thread(ctx, thread, false, func(m slack.Message) {
		if m.Timestamp == thread.TS {
			root = []slack.Message{m}
			return
		}
		count++
		if replies = append(replies, m); len(replies) >= 2*newest {
			replies = slices.Clone(replies[newest:])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("conversations.replies of %s in %s: %w", thread.TS, thread.Channel, p.Slack.explain(err, botTokenName))
	}
	var said []workflow.Said
	for _, m := range append(root, replies[max(0, len(replies)-newest):]...) {
		said = append(said, p.said(ctx, m))
	}
	if n := count - newest; n > 0 {
		said[len(root)].Skipped = n
	}
	return said, nil
}

func (p *People) said(ctx context.Context, m slack.Message) workflow.Said {
	self := p.Slack.self
	s := workflow.Said{
		User: m.User, Text: unescape(m.Text), TS: m.Timestamp, Bot: m.BotID != "" || m.SubType == "bot_message",
		Own: m.User == self.User || m.BotID == self.BotID && m.BotID != "",
	}
	if m.Edited != nil {
		s.Edited = m.Edited.Timestamp
	}
	if shared, err := asPost(m); err == nil && !s.Own {
		s.Text, s.Files = strings.TrimSpace(s.Text+sharedWith(shared)), filesOf(shared)
	}
	s.Text = p.Readable(ctx, s.Text)
	switch {
	case s.Own:
		s.Name = self.Name
	case m.User != "" && m.User != "USLACKBOT":
		s.Name = p.DisplayName(ctx, m.User)
	default:
		s.Name = oneLine(cmp.Or(m.Username, "Slack"), 80)
	}
	return s
}

// thread gives each message of a thread, oldest first, its root being the first.
func (s *Slack) thread(ctx context.Context, thread workflow.Thread, metadata bool, each func(slack.Message)) error {
	params := &slack.GetConversationRepliesParameters{
		ChannelID: thread.Channel, Timestamp: thread.TS, Limit: 250, IncludeAllMetadata: metadata,
	}
	for range maxPages {
		var page []slack.Message
		var next string
		err := s.patiently(ctx, func() (err error) {
			page, _, next, err = s.api.GetConversationRepliesContext(ctx, params)
			return err
		})
		if err != nil {
			return err
		}
		for _, m := range page {
			each(m)
		}
		if next == "" {
			return nil
		}
		params.Cursor = next
	}
	return nil
}
