package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Standing says what a bot that is ready works with, and what is off.
type Standing struct {
	Works    string // who it is, where, on what and with what
	Off      []Off
	Settings Settings // it works with
}

// An Off is something that does not work, though the bot does, and what to do about it.
type Off struct{ What, Cure string }

// channelsWithin is how long Slack has to list the bot's channels.
const channelsWithin = 10 * time.Second

// Standing describes the running bot. It asks Slack for the names of the bot's channels.
func (b *Server) Standing(ctx context.Context) Standing {
	ctx, cancel := context.WithTimeout(ctx, channelsWithin)
	defer cancel()
	st := Standing{Settings: b.settings}
	off := func(what, cure string) { st.Off = append(st.Off, Off{what, cure}) }
	self := b.slack.Self()
	works := []string{
		fmt.Sprintf("@%s in %s (%s)", self.Name, self.TeamName, b.slack.WorkspaceURL()),
		b.describeChannels(ctx, off),
		"repositories " + namesOf(b.settings),
		b.describeSandbox(off),
		"models " + strings.Join(modelNames(b.settings), ", "),
	}
	st.Works = cli.WithoutControls(plaintext.OneLine(strings.Join(works, "; ")))
	b.offOnPages(off)
	for _, r := range b.settings.Repositories {
		if r.Pulls.Host == nil && !strings.HasPrefix(r.URL, "/") {
			off("pull requests of "+r.Name+": only branches are pushed",
				"name its host in the configuration (docs/configuration/pull-requests.md)")
		}
	}
	for _, s := range deploy.Scopes() {
		if scopes := b.slack.Scopes(); scopes != nil && !slices.Contains(scopes, s.Name) {
			off(LacksScope(s),
				"put the output of bobbin manifest into the app's manifest, and install it again")
		}
	}
	return st
}

// LacksScope says what an app cannot do that lacks a scope.
func LacksScope(s deploy.Scope) string {
	return fmt.Sprintf("the app lacks the scope %s: without it Bobbin cannot %s", s.Name, s.Why)
}

func namesOf(s Settings) string {
	var names []string
	for _, r := range s.Repositories {
		names = append(names, r.Name)
	}
	return plaintext.FirstOf(names, mostNamed)
}

// mostNamed is how many channels and repositories are named in the line.
const mostNamed = 8

// describeChannels names the channels of the configuration, or those that the bot is in if it has none.
func (b *Server) describeChannels(ctx context.Context, off func(what, cure string)) string {
	invite := "/invite @" + b.slack.Self().Name + " "
	known, err := b.slack.OwnChannels(ctx)
	nameOf := map[string]string{}
	for name, id := range known {
		nameOf[id] = "#" + name
	}
	var named []string
	for _, id := range channelIDs(b.settings.Repositories) {
		switch {
		case nameOf[id] != "":
			named = append(named, nameOf[id])
		case err != nil || !strings.HasPrefix(id, "C"): // not known, or a direct message
			named = append(named, id)
		default:
			off("channel "+id+": the bot is not in it", invite+"there, or correct the id")
		}
	}
	if len(named) == 0 {
		named = slices.Sorted(maps.Values(nameOf))
	}
	if len(named) == 0 {
		off("the bot is in no channel", invite+"in the channel where it should work")
		return "in no channel"
	}
	return "in " + plaintext.FirstOf(named, mostNamed)
}

func (b *Server) describeSandbox(off func(what, cure string)) string {
	switch box := b.Runner.Sandbox; {
	case box == nil:
		off("commands and checks, so nothing is proven: "+b.sandboxOff, "bobbin doctor shows all ways")
		return "no sandbox"
	case box.Kind() == sandbox.KindNone:
		off(NotConfined, "remove sandbox.kind from the configuration")
		return "no sandbox"
	default:
		return "sandbox " + box.Kind()
	}
}

// NotConfined is what is wrong with the sandbox none.
const NotConfined = "commands are not confined: they run with this program's rights and network"

func (b *Server) offOnPages(off func(what, cure string)) {
	switch {
	case b.settings.HTTPAddr == "":
		off("health, metrics and the pages of sessions",
			"set http.addr in the configuration, and http.url for pages")
	case b.settings.PageURL == "":
		off("the pages of sessions",
			"set http.url in the configuration: the address by which browsers reach http.addr")
	}
}

// modelNames returns the models of the agents, each once.
func modelNames(s Settings) (names []string) {
	for _, row := range agent.Table(s.Agents) {
		if !slices.Contains(names, row.Model) {
			names = append(names, row.Model)
		}
	}
	slices.Sort(names)
	return names
}

// SharedModels reports whether an agent uses a model that has no endpoint of its own.
func (s Settings) SharedModels() bool {
	return slices.ContainsFunc(modelNames(s),
		func(name string) bool { return s.Endpoints[name].BaseURL == "" })
}
