package main

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot"
)

// reactionName is how Slack names an emoji, without its colons.
var reactionName = regexp.MustCompile(`^[a-z0-9_'+-]{1,100}$`)

// checkReactions: each has to be a name, and of some channel.
func (r *RepositoryConfig) checkReactions(p *problems, at string) {
	if len(r.Reactions) > 0 && len(r.Channels) == 0 {
		p.at(at+".reactions", "reactions need channels in which they count")
	}
	for i, name := range r.Reactions {
		if bare := strings.Trim(name, ":"); bare != name && reactionName.MatchString(bare) {
			p.at(fmt.Sprintf("%s.reactions[%d]", at, i), "reaction %q: write it without the colons, %s", name, bare)
			return
		}
	}
	p.inForm(at+".reactions", r.Reactions, reactionName, "the name of an emoji such as bug")
}

// reactions are those of all repositories, by the channels as they are configured.
func (c Config) reactions() map[string][]string {
	all := map[string][]string{}
	for _, r := range c.Repositories {
		for _, channel := range r.Channels {
			all[channel] = append(all[channel], r.Reactions...)
		}
	}
	return all
}

// nameReactions puts ids where the configuration has #names.
func nameReactions(ctx context.Context, slack *bot.Slack, named map[string][]string) (map[string][]string, error) {
	names := slices.Sorted(maps.Keys(named))
	ids, err := slack.ChannelIDs(ctx, names)
	if err != nil {
		return nil, err
	}
	byID := map[string][]string{}
	for i, id := range ids {
		byID[id] = append(byID[id], named[names[i]]...)
	}
	return byID, nil
}
