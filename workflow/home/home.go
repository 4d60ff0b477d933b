package home

import (
	"context"
	"log/slog"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// Directory is the part of Slack's API that a home needs. It is asked anew each time.
type Directory interface {
	// Known returns a user's data, whatever channels the user is in.
	Known(ctx context.Context, user string) (workflow.Person, error)
	// Channels returns the ids of the channels that both the user and the bot are in.
	Channels(ctx context.Context, user string) ([]string, error)
	// Group returns the ids of the members of a user group (S…).
	Group(ctx context.Context, group string) ([]string, error)
	// Outsiders reports whether a channel has a member who is not a full member of the workspace.
	Outsiders(ctx context.Context, channel string) (bool, error)
	// Shared returns the channels that both the user and the bot are in, with their names.
	Shared(ctx context.Context, user string) ([]workflow.Channel, error)
	// DisplayName returns the name of a user, remembered for a while, or the id if it is not known.
	DisplayName(ctx context.Context, user string) string
	// Members returns the ids of all members of a channel.
	Members(ctx context.Context, channel string) ([]string, error)
}

// Homes builds people's App Homes. It reads the content from rows and from Slack for each view. If it
// cannot read what a person may see, it shows less, not more. Its fields are set before the first call.
type Homes struct {
	Store        *store.Store
	Directory    Directory
	Repositories []repository.Repository
	Secrets      *redact.Finder // masked in titles; nil: nothing is masked
	Admins       []string       // ids of people who see the settings; empty: the workspace's admins
	Settings     []string       // a summary of the configuration
	// PageOf returns the URL of a session's web page for one person, or of the list of sessions if
	// session is empty. nil: there are no pages.
	PageOf func(user, session string) string
	// PostGuides posts and pins what Press asked for. nil: no channel can be told how to use the bot.
	PostGuides   func(ctx context.Context) error
	WorkspaceURL string // URL of the workspace
	Limits       workflow.Limits
	DocsURL      string // page about how to use the bot; empty: none
	Log          *slog.Logger
}

// How many sessions a home lists: those that wait for the person, and others.
const (
	maxWaiting = 25
	maxShown   = 50
)

// Home returns the home of the user. A full member sees the sessions of the channels that the member is
// in. All other people, and those whom Slack tells nothing about, see their own sessions only.
func (h *Homes) Home(ctx context.Context, user string) (workflow.HomeView, error) {
	person, err := h.Directory.Known(ctx, user)
	return h.makeHome(ctx, user, person, err)
}

// HomeOf makes the same for a person whom Visitor returned.
func (h *Homes) HomeOf(ctx context.Context, p workflow.Person) (workflow.HomeView, error) {
	return h.makeHome(ctx, p.ID, p, nil)
}

// makeHome makes the home of the user; err says why Slack does not tell who that is.
func (h *Homes) makeHome(
	ctx context.Context, user string, person workflow.Person, err error,
) (workflow.HomeView, error) {
	home := workflow.HomeView{Person: workflow.Person{ID: user}}
	var channels []string
	full := err == nil && person.ExclusionReason() == "" && !person.Guest
	if full {
		channels, err = h.Directory.Channels(ctx, user)
	}
	if err != nil {
		h.Log.Warn("a home shows its owner's sessions only: Slack does not tell which channels they are in",
			"user", user, "err", err)
		home.OwnOnly = true
		channels = nil
	} else {
		home.Person = person
		home.NoReport = mayNotReport(person)
	}
	if full && err == nil && len(channels) == 0 {
		home.NoReport = noChannel
	}
	if h.PageOf != nil {
		home.Page = h.PageOf(user, "")
	}
	if full && h.mayAdminister(person) {
		home.Settings = h.Settings
		if home.Pauses, err = h.pauses(ctx); err != nil {
			return home, err
		}
	}
	if full && h.PostGuides != nil {
		if home.Guides, err = h.guides(ctx, channels); err != nil {
			return home, err
		}
	}
	if full {
		if home.Lessons, err = h.lessons(ctx, person, channels); err != nil {
			return home, err
		}
	}
	help := h.shortHelp()
	home.Help = &help
	if home.Today, err = view.SpentToday(ctx, h.Store.DB, user); err != nil {
		return home, err
	}
	return home, h.listSessions(ctx, &home, channels)
}

func (h *Homes) mayAdminister(p workflow.Person) bool {
	if len(h.Admins) > 0 {
		return slices.Contains(h.Admins, p.ID)
	}
	return p.Admin
}

// listSessions fills the home's lists: sessions that wait for the person, and the others.
func (h *Homes) listSessions(ctx context.Context, home *workflow.HomeView, channels []string) error {
	waiting, err := view.SessionsOf(ctx, h.Store.DB, home.Person.ID, channels, true, maxShown)
	if err != nil {
		return err
	}
	all, err := view.SessionsOf(ctx, h.Store.DB, home.Person.ID, channels, false, maxShown+1)
	if err != nil {
		return err
	}
	pauses, err := store.ListPauses(ctx, h.Store.DB)
	if err != nil {
		return err
	}
	shown := func(s workflow.Session) workflow.Session {
		if p := home.Person; p.Guest || p.Stranger || p.Name == "" { // a finding may name code
			s.Finding = ""
		}
		return h.Masked(s)
	}
	awaited := map[string]string{} // what each session waits for
	groups := map[string][]string{}
	for _, s := range waiting {
		p := home.Person
		p.InThread = slices.Contains(channels, s.Thread.Channel)
		mine, why := h.awaitedOf(ctx, s, p, groups)
		awaited[s.ID] = why
		if mine && len(home.Waits) < maxWaiting {
			home.Waits = append(home.Waits, workflow.HomeSession{Session: shown(s), Why: why})
		}
	}
	for _, s := range all {
		there := slices.ContainsFunc(home.Waits, func(w workflow.HomeSession) bool { return w.ID == s.ID })
		switch {
		case there:
		case len(home.Others) == maxShown:
			home.More = true
		default:
			why := awaited[s.ID]
			if s.Open && store.Paused(pauses, s) {
				why = workflow.PausedByOperator
			}
			home.Others = append(home.Others, workflow.HomeSession{Session: shown(s), Why: why})
		}
	}
	home.More = home.More || len(all) > maxShown
	return nil
}

// Masked returns the session with the secrets in its title masked.
func (h *Homes) Masked(s workflow.Session) workflow.Session {
	s.Title = h.Secrets.Mask(s.Title)
	s.Finding = h.Secrets.Mask(s.Finding)
	return s
}

// awaitedOf returns what a session waits for, and whether this person can give it.
func (h *Homes) awaitedOf(
	ctx context.Context, s workflow.Session, p workflow.Person, groups map[string][]string,
) (mine bool, why string) {
	switch s.Phase {
	case workflow.PhaseReported:
		return h.mayApprove(ctx, s, p, groups), "a report to approve or correct"
	case workflow.PhasePlanShown:
		return h.mayApprove(ctx, s, p, groups), "a plan to approve or correct"
	case workflow.PhasePaused:
		return s.Requester == p.ID, s.Awaited()
	}
	return s.Requester == p.ID, "an answer to a question"
}

// mayApprove reports whether p may approve the session's report. It reads each user group once for all
// sessions of a home; a group that cannot be read has no members.
func (h *Homes) mayApprove(
	ctx context.Context, s workflow.Session, p workflow.Person, groups map[string][]string,
) bool {
	at := slices.IndexFunc(h.Repositories,
		func(r repository.Repository) bool { return r.Name == s.Repository })
	if at < 0 {
		return false
	}
	a := h.Repositories[at].Approvers
	a.People = h.withMembers(ctx, a.People, groups)
	return a.MayApprove(p, s.Requester) == ""
}
