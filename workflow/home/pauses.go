package home

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// maxPauses is how many things a home offers to pause; the command bobbin pause knows all of them.
const maxPauses = 20

// pauses returns what an admin may pause or resume: first what is paused, then everything, the
// repositories and their channels.
func (h *Homes) pauses(ctx context.Context) (list []workflow.HomePause, err error) {
	paused, err := store.ListPauses(ctx, h.Store.DB)
	if err != nil {
		return nil, err
	}
	for _, p := range paused {
		list = append(list, offered(p, p.By))
	}
	for _, p := range h.pausable() {
		if !slices.ContainsFunc(paused,
			func(is store.Pause) bool { return is.Scope == p.Scope && is.Name == p.Name }) {
			list = append(list, offered(p, ""))
		}
	}
	return list[:min(len(list), maxPauses)], nil
}

func (h *Homes) pausable() []store.Pause {
	all := []store.Pause{{Scope: store.PauseAll}}
	for _, r := range h.Repositories {
		all = append(all, store.Pause{Scope: store.PauseRepository, Name: r.Name})
	}
	for _, r := range h.Repositories {
		for _, c := range r.Channels {
			if p := (store.Pause{Scope: store.PauseChannel, Name: c}); !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

func offered(p store.Pause, by string) workflow.HomePause {
	name := p.String()
	if p.Scope == store.PauseChannel {
		name = "#" + p.Name
	}
	return workflow.HomePause{Name: name, Value: strings.TrimSpace(p.Scope + " " + p.Name), By: by}
}

// Press does what a button of a user's home says, if the user has the right now: a home stays open in Slack
// after its owner lost the right. Admins pause and resume; full members have a guide posted.
func (h *Homes) Press(ctx context.Context, user string, action workflow.ActionID, value string) error {
	person, err := h.Directory.Known(ctx, user)
	if err != nil {
		return fmt.Errorf("who pressed %s: %w", action, err)
	}
	if action == workflow.ButtonGuide {
		return h.pressGuide(ctx, person, value)
	}
	if person.ExclusionReason() != "" || person.Guest || !h.mayAdminister(person) {
		h.Log.Warn("somebody who is no admin pressed a button of an admin's home", "user", user,
			"action", action)
		return nil
	}
	scope, name, _ := strings.Cut(value, " ")
	p := store.Pause{Scope: scope, Name: name, By: person.Name}
	if action == workflow.ButtonResume {
		_, err = store.LiftPause(ctx, h.Store.DB, p)
		return err
	}
	known := slices.ContainsFunc(h.pausable(),
		func(k store.Pause) bool { return k.Scope == scope && k.Name == name })
	if !known {
		return errors.New("a button that pauses what is not configured: " + value)
	}
	_, err = store.SetPause(ctx, h.Store.DB, p)
	return err
}
