package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// check adds all problems of the configuration to p.
func (c *Config) check(p *strictyaml.Problems) {
	if len(c.Repositories) == 0 {
		p.At("$.repositories", "repositories: name at least one")
	}
	names := map[string]int{}
	for i := range c.Repositories {
		at := fmt.Sprintf("$.repositories[%d]", i)
		c.Repositories[i].check(p, at, names)
		c.Repositories[i].Installed.checkImage(p, at+".environment", c.Sandbox.Kind)
		c.Repositories[i].Host.check(p, at+".host", c.Repositories[i].URL)
		h, _, _ := c.Repositories[i].Host.Of(c.Repositories[i].URL)
		c.Repositories[i].Commits.check(p, at+".commits", h.Kind)
		c.checkSignedByHost(p, at+".commits.sign", c.Repositories[i])
		c.Repositories[i].checkPushTo(p, at+".push_to")
		c.Repositories[i].Checks.check(p, at+".checks", c.Checks.or(maxCheck))
	}
	c.ModelTable.check(p)
	c.Limits.check(p)
	c.Checks.check(p, "$.checks", CheckLimits{aWeek, maxMB, maxTokens, maxMB})
	c.checkSandbox(p)
	c.checkTrackers(p)
	c.checkSources(p)
	c.Keep.check(p)
	if n := c.Slack.Connections; n < 0 || n > maxConnections {
		p.At("$.slack.connections",
			"connections has to be between 1 and %d, which all replicas share", maxConnections)
	}
	if card := c.Slack.ProgressCard; card != "" {
		p.OneOf("$.slack.progress_card", "progress_card", card, []string{"on", "off"})
	}
	p.InForm("$.slack.admins", c.Slack.Admins, personID, "the id of a person (U…), which Slack shows in the "+
		"person's profile: ⋮, Copy member ID")
	c.checkCredentials(p)
	checkPeople(p, c.People)
	c.Words.check(p)
	c.Transcription.check(p)
	if c.SkillsDir != "" {
		if fi, err := os.Stat(c.SkillsDir); err != nil || !fi.IsDir() {
			p.At("$.skills_dir", "skills_dir: there is no folder %s", c.SkillsDir)
		}
	}
	if c.HTTP.Addr != "" {
		if err := address.CheckListen(c.HTTP.Addr); err != nil {
			p.At("$.http.addr", "http.addr %q: %v", c.HTTP.Addr, err)
		}
	}
	if c.HTTP.URL != "" {
		if err := address.CheckPages(c.HTTP.URL); err != nil {
			p.At("$.http.url", "http.url %q: %v", c.HTTP.URL, err)
		}
	}
	c.HTTP.checkSignIn(p)
}

// CheckServed returns an error if something that needs an address at which this program listens has none:
// httpAddr is the one that the environment or a flag gives instead of the file's.
func (c *Config) CheckServed(httpAddr string) error {
	if cmp.Or(httpAddr, c.HTTP.Addr) != "" {
		return nil
	}
	var errs []error
	if c.HTTP.URL != "" {
		errs = append(errs,
			errors.New("http.url needs http.addr or BOBBIN_HTTP_ADDR, where the pages are served"))
	}
	for _, r := range c.Repositories {
		if r.Host.SecretEnv != "" {
			errs = append(errs, fmt.Errorf("webhook_secret_env of %s needs http.addr or BOBBIN_HTTP_ADDR, "+
				"where webhooks arrive", r.Describe()))
		}
	}
	return errors.Join(errs...)
}

func (c *Config) checkSandbox(p *strictyaml.Problems) {
	s := c.Sandbox
	if s.Kind != "" {
		p.OneOf("$.sandbox.kind", "sandbox kind", s.Kind, []string{
			"auto", sandbox.KindBubblewrap, sandbox.KindNamespaces, sandbox.KindGVisor, sandbox.KindDocker,
			sandbox.KindNone,
		})
	}
	for _, of := range []struct{ key, value, kind string }{
		{"runsc", s.Runsc, sandbox.KindGVisor},
		{"engine", s.Engine, sandbox.KindDocker},
		{"image", s.Image, sandbox.KindDocker},
	} {
		if of.value != "" && s.Kind != of.kind {
			p.At("$.sandbox."+of.key, "sandbox.%s is for the kind %s only", of.key, of.kind)
		}
	}
	switch {
	case s.Kind == sandbox.KindDocker && s.Image == "":
		p.At("$.sandbox.kind",
			"the sandbox kind docker needs an image, such as image: golang:1.26, that the engine has")
	case strings.HasPrefix(s.Image, "-"):
		p.At("$.sandbox.image", "image %q: a name is expected", s.Image)
	}
	checkProgram(p, "$.sandbox.runsc", s.Runsc)
	checkProgram(p, "$.sandbox.engine", s.Engine)
	for name, value := range s.Env {
		if !commandEnvName.MatchString(name) || strings.ContainsRune(value, 0) {
			p.At("$.sandbox.env", "sandbox.env %q: a name has letters, digits and underscores", name)
		}
	}
}

// checkProgram adds a problem if value is a path and no program is there. A name without a slash is not
// checked.
func checkProgram(p *strictyaml.Problems, path, value string) {
	if value == "" || !strings.Contains(value, "/") {
		return
	}
	if fi, err := os.Stat(value); !strings.HasPrefix(value, "/") || err != nil || fi.IsDir() {
		p.At(path, "%s: there is no program %s", strings.TrimPrefix(path, "$."), value)
	}
}

var (
	repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	channelName    = regexp.MustCompile(`^([CGD][A-Z0-9]{2,}|#[^\s#]+)$`)
	personID       = regexp.MustCompile(`^[UW][A-Z0-9]{2,}$`)
	commandEnvName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	appName        = regexp.MustCompile(`^\S(.{0,78}\S)?$`)
	personName     = regexp.MustCompile(`^[UWS][A-Z0-9]{2,}$`)
)

// wantedPerson says what personName matches, and where people find it.
const wantedPerson = "the id of a person (U…) or a user group (S…), which Slack shows in the menu ⋮ of the " +
	"person or the group: Copy member ID, Copy group ID"

func (r *Repository) check(p *strictyaml.Problems, at string, names map[string]int) {
	r.checkName(p, at, names)
	if r.URL == "" {
		p.At(at+".url", "url is missing: the address from which the repository is cloned, such as "+
			"https://github.com/acme/shop.git")
	} else if err := address.CheckURL(r.URL); err != nil {
		p.At(at+".url", "url %q: %v", address.HideSecret(r.URL), err)
	}
	if r.Base != "" {
		if err := address.CheckBranch(r.Base); err != nil {
			p.At(at+".base", "base %q: %v", r.Base, err)
		}
	}
	if r.Watch != "" {
		p.OneOf(at+".watch", "watch", r.Watch, []string{"mention", "all"})
	}
	if r.Watch == "all" && len(r.Channels) == 0 {
		p.At(at+".watch", "watch: all needs channels to watch")
	}
	if len(r.WatchApps) > 0 && len(r.Channels) == 0 {
		p.At(at+".watch_apps", "watch_apps needs channels in which they post")
	}
	p.InForm(at+".watch_apps", r.WatchApps, appName, "the id of an app (A…), or its name as Slack shows it")
	r.checkReactions(p, at)
	p.InForm(at+".channels", r.Channels, channelName,
		"a channel's id such as C0123ABCD, or its #name in quotes")
	p.InForm(at+".approvers", r.Approvers, personName, wantedPerson)
	r.checkApprovals(p, at)
	if r.Private && len(r.Channels) == 0 {
		p.At(at+".private", "private: true needs channels: only threads in them could be about the "+
			"repository; if you mean that its git host shows it to few, write visibility: private")
	}
	if r.Guests != "" {
		p.OneOf(at+".guests", "guests", r.Guests, []string{"all", NoCode})
	}
	if r.Readers != "" {
		p.OneOf(at+".visibility", "visibility", r.Readers,
			[]string{string(host.Public), string(host.Internal), string(host.Private)})
	}
	if r.Named != "" {
		p.OneOf(at+".people", "people", r.Named, []string{"named", Anonymous})
	}
	for name, value := range map[string]string{"owners": r.Owners, "authors": r.Authors} {
		if value != "" {
			p.OneOf(at+"."+name, name, value, []string{"name", Mention})
		}
	}
	if r.Review != "" {
		p.OneOf(at+".review", "review", r.Review, []string{"on", "off"})
	}
	r.checkBranches(p, at)
	r.checkNaming(p, at)
	if near := r.Checks.Near; near != "" && !strings.Contains(near, "{files}") &&
		!strings.Contains(near, "{packages}") {
		p.At(at+".checks.near", "near %q needs {files} or {packages} where the changed ones are to be", near)
	}
	if r.Checks.Warm != "" {
		p.OneOf(at+".checks.warm", "warm", r.Checks.Warm, []string{"on", "off"})
	}
	if r.Checks.CI != "" {
		p.OneOf(at+".checks.ci", "ci", r.Checks.CI,
			[]string{repository.CIOff, repository.CIOn, repository.CIRed})
		if r.Checks.CI != repository.CIOff && !r.Host.opens() {
			p.At(at+".checks.ci", "checks.ci is %s, and CI can be asked only where host names the git host "+
				"whose checks are read: add host: on", r.Checks.CI)
		}
	}
	r.Setup.check(p, at+".setup")
	r.Services.check(p, at+".services")
	checkValues(p, at+".env", r.Env)
	r.Installed.check(p, at+".environment", r.Setup.off)
	r.Visual.check(p, at+".visual")
	if strings.HasPrefix(r.Scope, "/") || slices.Contains(strings.Split(r.Scope, "/"), "..") {
		p.At(at+".scope", "scope %q has to be a folder within the repository", r.Scope)
	}
	if problem := address.CheckCodeURL(r.CodeURL); r.CodeURL != "" && problem != "" {
		p.At(at+".code_url", "%s", problem)
	}
}

// Anonymous is the value of a repository's people with which nobody is named in what leaves Slack.
const Anonymous = "anonymous"

// Mention is the value of owners and authors with which people who know the code, or made the commit that
// brought a bug, are mentioned in the thread.
const Mention = "mention"

// NoCode is the value of guests that keeps code out of channels with guests.
const NoCode = "no_code"

func (r *Repository) checkName(p *strictyaml.Problems, at string, names map[string]int) {
	first, twice := names[strings.ToLower(r.Name)]
	switch {
	case r.Name == "":
		p.At(at+".name", "name is missing: what people call the repository, such as name: shop")
		return
	case !repositoryName.MatchString(r.Name):
		p.At(at+".name", "the name %q may hold letters, digits, dots, hyphens and underscores only", r.Name)
	case twice:
		p.At(at+".name", "there are two repositories named %q; the other is in line %d", r.Name, first)
		return
	}
	names[strings.ToLower(r.Name)] = p.Line(at + ".name")
}

func (r *Repository) Describe() string {
	if r.Name == "" {
		return "a repository"
	}
	return fmt.Sprintf("repository %q", r.Name)
}

// checkBranches checks branch_prefix, releases and bases: branches that Bobbin pushes must not collide with
// those of the team.
func (r *Repository) checkBranches(p *strictyaml.Problems, at string) {
	prefix := cmp.Or(r.BranchPrefix, "bobbin/")
	name, ends := strings.CutSuffix(prefix, "/")
	if err := address.CheckBranch(name); !ends || name == "" || err != nil {
		p.At(at+".branch_prefix", "branch_prefix %q has to be the beginning of a branch's name and end in "+
			"a slash, such as bobbin/", prefix)
	} else if strings.HasPrefix(r.Base, prefix) {
		p.At(at+".branch_prefix", "base %q begins with branch_prefix %q; "+
			"name another branch_prefix, so that Bobbin's branches differ from it", r.Base, prefix)
	}
	checkPatterns(p, at+".releases", prefix, r.Releases)
	checkPatterns(p, at+".bases", prefix, r.Bases)
}

// checkPatterns checks patterns of names of branches and tags. prefix is that of Bobbin's own branches.
func checkPatterns(p *strictyaml.Problems, at, prefix string, patterns []string) {
	for i, pattern := range patterns {
		where := fmt.Sprintf("%s[%d]", at, i)
		if pattern == "" || strings.HasPrefix(pattern, "/") || !doublestar.ValidatePattern(pattern) {
			p.At(where, "%q is no pattern of names of branches or tags; write one such as release/* or v*",
				pattern)
		} else if strings.HasPrefix(pattern, prefix) {
			p.At(where, "%q begins with branch_prefix %s, as the branches do that Bobbin pushes; change "+
				"one of "+
				"them", pattern, prefix)
		}
	}
}

// reactionName matches Slack's name of an emoji, without its colons.
var reactionName = regexp.MustCompile(`^[a-z0-9_'+-]{1,100}$`)

// checkReactions checks that each reaction is the name of an emoji, and that there are channels in which
// reactions count.
func (r *Repository) checkReactions(p *strictyaml.Problems, at string) {
	if len(r.Reactions) > 0 && len(r.Channels) == 0 {
		p.At(at+".reactions", "reactions need channels in which they count")
	}
	for i, name := range r.Reactions {
		if bare := strings.Trim(name, ":"); bare != name && reactionName.MatchString(bare) {
			p.At(fmt.Sprintf("%s.reactions[%d]", at, i),
				"reaction %q: write it without the colons, %s", name, bare)
			return
		}
	}
	p.InForm(at+".reactions", r.Reactions, reactionName, "the name of an emoji such as bug")
}
