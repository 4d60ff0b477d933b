package server

import (
	"cmp"
	"context"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/page"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// SignIn holds the Slack app's credentials for Sign in with Slack.
type SignIn struct{ ClientID, ClientSecret string }

// SignInWith returns how visitors of pages sign in with Slack; nil: they do not.
func (s Settings) SignInWith(slack *bot.Slack) *bot.SignIn {
	if s.SignIn.ClientID == "" {
		return nil
	}
	return &bot.SignIn{
		Slack:        slack,
		ClientID:     s.SignIn.ClientID,
		ClientSecret: s.SignIn.ClientSecret,
		Redirect:     page.SignedInURL(s.PageURL),
	}
}

// openPages serves the pages of sessions on the address of health, if the configuration says how browsers
// reach it.
func (b *Server) openPages(s Settings, homes *home.Homes, directory *people.Directory) error {
	if s.PageURL == "" {
		return nil
	}
	links, err := page.NewLinks(s.PageURL, s.SlackToken)
	if err != nil {
		return err
	}
	b.pageOf = links.To
	b.sharedPage = links.Shared
	homes.PageOf = links.To
	pages := &page.Pages{
		Links:    links,
		Homes:    homes,
		Threads:  cmp.Or(s.ThreadsURL, homes.WorkspaceURL),
		Store:    b.Store,
		Secrets:  s.Secrets,
		NameOf:   directory.DisplayName,
		Readable: directory.Readable,
		Linked:   linkedAddresses(s, homes.WorkspaceURL),
		SignIn:   s.SignInWith(b.slack),
		Log:      b.log,
		DiffOf: func(ctx context.Context, repository, commit string) string {
			return b.pushedDiff(ctx, s, repository, commit)
		},
	}
	b.Pages = pages.Handler()
	for _, path := range page.Paths {
		b.Monitor.Handle(path, b.Pages)
	}
	b.log.Info("sessions have pages", "url", s.PageURL)
	return nil
}

// OwnPage returns the address of a session's page that opens for one person. The bot has pages then.
func (b *Server) OwnPage(user, session string) string { return b.pageOf(user, session) }

// pushedDiff returns the diff of a pushed commit with its secrets masked, or an empty
// string if it cannot be read.
func (b *Server) pushedDiff(ctx context.Context, s Settings, repository, commit string) string {
	for _, r := range s.Repositories {
		if r.Name != repository {
			continue
		}
		diff, err := b.readDiff(ctx, r.Remote, commit, s.Secrets)
		if err != nil {
			b.log.Warn("a page has no diff", "repository", repository, "commit", commit, "err", err)
		}
		return diff
	}
	return ""
}

// readDiff masks what the thread masks: also the secrets of the repository's private files,
// whose content it leaves out.
func (b *Server) readDiff(
	ctx context.Context, r remote.Remote, commit string, secrets *redact.Finder,
) (string, error) {
	mirror, secrets, err := b.mirrorWith(ctx, r, commit, secrets)
	if err != nil {
		return "", err
	}
	_, diff, err := mirror.Commits().Show(ctx, commit, "", workfile.IsPrivate)
	return secrets.Mask(diff), err
}
