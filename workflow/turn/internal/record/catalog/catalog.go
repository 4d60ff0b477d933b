package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// A Catalog holds the repositories that a session may be about.
type Catalog struct {
	*ledger.Ledger
	Repositories []repository.Repository
	Mirrors      *git.Mirrors // of the repositories, to look up branches
	// Tickets returns the issues that people who may approve named, the newest last; nil: none is looked for.
	Tickets  func(ctx context.Context) ([]Ticket, error)
	Trackers []*tracker.Tracker
}

// ChangeButton returns the button that asks for another repository, or nil if there is only one to
// choose from, if work was approved already, or in a part of a thread. The button's value holds the names to
// choose from.
func (c *Catalog) ChangeButton(label string) []workflow.Button {
	if len(c.Repositories) < 2 || len(c.allowed()) < 2 {
		return nil
	}
	if s := c.Session(); s.Branch != "" || s.PartOf != "" {
		return nil
	}
	return []workflow.Button{{
		ActionID: workflow.ButtonRepository,
		Label:    label,
		Value:    store.NewToken(),
		Means:    strings.Join(c.Names(), "\n"),
	}}
}

func (c *Catalog) Names() (names []string) {
	for _, r := range c.allowed() {
		names = append(names, r.Name)
	}
	return names
}

// NameOf returns how the configuration writes the name of a repository that the thread may be about, or the
// name as it is if there is none.
func (c *Catalog) NameOf(name string) string {
	for _, r := range c.allowed() {
		if strings.EqualFold(r.Name, name) {
			return r.Name
		}
	}
	return name
}

// ChoiceButtons returns one button for each repository, for when no modal can be opened.
func (c *Catalog) ChoiceButtons() (buttons []workflow.Button) {
	for _, name := range c.Names() {
		buttons = append(buttons, workflow.Button{
			ActionID: workflow.ButtonChoose,
			Label:    name,
			Value:    store.NewToken(),
			Means:    name,
		})
	}
	return buttons
}

// Current returns the session's repository, or the one that its request is about. ok is false if a person has
// to choose one, or if the configuration does not name it. It fails if the request cannot be read: a
// repository that is chosen by a part of the words may be another one.
func (c *Catalog) Current(ctx context.Context) (r repository.Repository, ok bool, err error) {
	s := c.Session()
	name := s.Repository
	if name == "" {
		text, err := c.requestText(ctx)
		if err != nil {
			return r, false, fmt.Errorf("choose the repository: %w", err)
		}
		topic := func() string { return c.topic(ctx) }
		name = choose(text, s.Thread.Channel, topic, c.allowed())
	}
	if r = c.Configured(name); r.Name == "" {
		return r, false, nil
	}
	r.Base = cmp.Or(s.BaseBranch, r.Base)
	return r, true, nil
}

// Configured returns the repository of that name as it is configured, without the base of the session, or
// the zero value.
func (c *Catalog) Configured(name string) repository.Repository {
	for _, r := range c.Repositories {
		if r.Name == name {
			return r
		}
	}
	return repository.Repository{}
}

// topic returns the topic of the thread's channel, or an empty string if Slack does not tell it: then a
// person is asked.
func (c *Catalog) topic(ctx context.Context) string {
	topic, err := c.Slack.Topic(ctx, c.Session().Thread.Channel)
	if err != nil {
		c.Log.Warn("cannot read the channel's topic", "err", err)
	}
	return topic
}

// Unknown returns the name of a repository that the request names and that is not configured for the thread,
// with the names that are like it; both may be empty.
func (c *Catalog) Unknown(ctx context.Context) (name string, nearest []string, err error) {
	text, err := c.requestText(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("choose the repository: %w", err)
	}
	if name = unknown(text, c.allowed()); name == "" {
		return "", nil, nil
	}
	return name, nearRepositories(name, c.Names()), nil
}

// Allowed returns the repositories that the thread may be about.
func (c *Catalog) Allowed() []repository.Repository { return c.allowed() }

// allowed returns the repositories that the thread may be about. A private one is allowed only in its
// own channels.
func (c *Catalog) allowed() []repository.Repository {
	channel := c.Session().Thread.Channel
	return slices.DeleteFunc(slices.Clone(c.Repositories),
		func(r repository.Repository) bool { return r.Private && !slices.Contains(r.Channels, channel) })
}

// requestText returns the session's title and the messages that no agent has read yet, to choose a
// repository by. What nobody in the thread wrote chooses none: a preview, or what the program told agents.
func (c *Catalog) requestText(ctx context.Context) (string, error) {
	text := c.Session().Title
	unseen, err := c.Inbox().Unseen(ctx, 0)
	for _, m := range unseen {
		if m.Kind != workflow.MessagePreview && m.Kind != workflow.MessageTold {
			text += "\n" + m.Text
		}
	}
	return text, err
}

// WorkTitle returns the title of the work: from the newest report if there is one, otherwise from the
// request. The branch and the commit are named by it, so it makes no claims.
func (c *Catalog) WorkTitle(ctx context.Context) (string, error) {
	s := c.Session()
	if s.Revision == 0 || s.ReportKind == workflow.ReportRequest {
		return s.Title, nil
	}
	r, err := c.Store.Report(ctx, s.ID, s.Revision)
	if err != nil {
		return "", fmt.Errorf("title of the work: %w", err)
	}
	var body struct{ Summary, Bug, Title string }
	if json.Unmarshal(r.Body, &body) != nil {
		return s.Title, nil
	}
	return cmp.Or(c.Headline(cmp.Or(body.Title, body.Bug, body.Summary)), s.Title), nil
}
