package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/agent"
)

// check adds what makes no sense to p.
func (c *Config) check(p *problems) {
	names := map[string]bool{}
	for i := range c.Repositories {
		c.Repositories[i].check(p, fmt.Sprintf("$.repositories[%d]", i), names)
	}
	c.checkAgents(p)
	c.checkModels(p)
	c.checkLimits(p)
	kinds := []string{"", "auto", "bubblewrap", "namespaces", "gvisor", "docker", "none"}
	if !slices.Contains(kinds, c.Sandbox.Kind) {
		p.at("$.sandbox.kind", "unknown sandbox kind %q; one of %s", c.Sandbox.Kind, strings.Join(kinds[1:], ", "))
	}
}

var (
	repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	channelName    = regexp.MustCompile(`^([CGD][A-Z0-9]{2,}|#[^\s#]+)$`)
	personName     = regexp.MustCompile(`^[UWS][A-Z0-9]{2,}$`)
	branchPrefix   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*/$`)
)

func (r *RepositoryConfig) check(p *problems, at string, names map[string]bool) {
	switch {
	case r.Name == "":
		p.at(at, "a repository needs a name")
	case !repositoryName.MatchString(r.Name):
		p.at(at+".name", "the name %q may hold letters, digits, dots, hyphens and underscores only", r.Name)
	case names[r.Name]:
		p.at(at+".name", "there are two repositories named %q", r.Name)
	}
	names[r.Name] = true
	if r.URL == "" {
		p.at(at, "repository %q needs a url", r.Name)
	} else if err := checkURL(r.URL); err != nil {
		p.at(at+".url", "url %q: %v", r.URL, err)
	}
	if r.Watch != "" && r.Watch != "mention" && r.Watch != "all" {
		p.at(at+".watch", "watch is %q; mention or all", r.Watch)
	}
	if r.Watch == "all" && len(r.Channels) == 0 {
		p.at(at+".watch", "watch: all needs channels to watch")
	}
	checkEach(p, at+".channels", r.Channels, channelName, "a channel id such as C0123ABCD, or #name")
	checkEach(p, at+".approvers", r.Approvers, personName, "the id of a person (U…) or a user group (S…)")
	if r.BranchPrefix != "" && !branchPrefix.MatchString(r.BranchPrefix) {
		p.at(at+".branch_prefix", "branch_prefix %q has to end in a slash, such as bobbin/", r.BranchPrefix)
	}
	if strings.HasPrefix(r.Scope, "/") || slices.Contains(strings.Split(r.Scope, "/"), "..") {
		p.at(at+".scope", "scope %q has to be a folder within the repository", r.Scope)
	}
}

func checkEach(p *problems, at string, list []string, form *regexp.Regexp, want string) {
	for i, s := range list {
		if !form.MatchString(s) {
			p.at(fmt.Sprintf("%s[%d]", at, i), "%q is not %s", s, want)
		}
	}
}

func (c *Config) checkAgents(p *problems) {
	known := []string{"consultant"}
	for name := range agent.Table(nil) {
		known = append(known, name)
	}
	slices.Sort(known)
	for name, a := range c.Agents {
		at := "$.agents." + name
		if !slices.Contains(known, name) {
			p.at(at, "unknown agent %q; one of %s%s", name, strings.Join(known, ", "), didYouMean(name, known))
		}
		if !slices.Contains([]string{"", "minimal", "low", "medium", "high"}, a.Effort) {
			p.at(at+".effort", "effort is %q; low, medium or high", a.Effort)
		}
		if strings.ContainsAny(a.Name, "[]\n") {
			p.at(at+".name", "the name %q may not hold brackets", a.Name)
		}
	}
}

func (c *Config) checkModels(p *problems) {
	for name, m := range c.Models {
		at := "$.models." + name
		if m.Input < 0 || m.Output < 0 || m.Cached < 0 {
			p.at(at, "a price below zero for %q", name)
		}
		if slices.Contains(m.Fallback, name) {
			p.at(at+".fallback", "%q cannot stand in for itself", name)
		}
	}
}

func (c *Config) checkLimits(p *problems) {
	l := c.Limits
	for key, value := range map[string]float64{
		"session_usd": l.SessionUSD, "session_minutes": float64(l.SessionMinutes), "day_usd": l.DayUSD,
		"sessions_at_once": float64(l.SessionsAtOnce), "attempts_before_consulting": float64(l.Attempts),
	} {
		if value < 0 {
			p.at("$.limits."+key, "%s may not be below zero", key)
		}
	}
}

// knownKeys are all keys of the file, for suggestions.
var knownKeys = []string{
	"repositories", "agents", "models", "limits", "sandbox", "skills_dir", "http", "name", "url", "base", "channels", "watch", "checks", "build", "test",
	"approvers", "other_than_requester", "branch_prefix", "scope", "model", "effort", "input_usd_per_million", "cached_usd_per_million",
	"output_usd_per_million", "fallback", "session_usd", "session_minutes", "day_usd", "sessions_at_once", "attempts_before_consulting", "kind", "addr",
}

// didYouMean suggests the nearest known word, where one is near.
func didYouMean(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			last, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, last+cost)
		}
	}
	return row[len(b)]
}
