package server

import (
	"context"

	"github.com/bobbinhq/bobbin/bot/page"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/workflow/home"
)

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
	b.pageOf, homes.PageOf = links.To, links.To
	pages := &page.Pages{
		Links: links, Homes: homes, Store: b.Store, Secrets: s.Secrets, NameOf: directory.DisplayName, Log: b.log,
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

// pushedDiff returns the diff of a pushed commit, or an empty string if it cannot be read.
func (b *Server) pushedDiff(ctx context.Context, s Settings, repository, commit string) string {
	for _, r := range s.Repositories {
		if r.Name != repository {
			continue
		}
		diff, err := b.readDiff(ctx, r.Remote, commit)
		if err != nil {
			b.log.Warn("a page has no diff", "repository", repository, "commit", commit, "err", err)
		}
		return diff
	}
	return ""
}

func (b *Server) readDiff(ctx context.Context, r remote.Remote, commit string) (string, error) {
	mirror, err := b.Mirrors.Open(ctx, r)
	if err != nil {
		return "", err
	}
	if !mirror.Commits().Has(commit) {
		if err := mirror.Fetch(ctx); err != nil {
			return "", err
		}
	}
	_, diff, err := mirror.Commits().Show(ctx, commit, "", nil)
	return diff, err
}
