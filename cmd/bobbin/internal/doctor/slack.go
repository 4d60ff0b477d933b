package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/examine"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// skew is the largest difference between two clocks that is not reported.
const skew = 10 * time.Second

// A slackCheck examines a workspace with the bot's tokens.
type slackCheck struct {
	*List
	repositories      []config.Repository
	bot               bot.Config
	botAtWork         bool
	*examine.Examiner // nil: the bot token is not good
}

// examineSlack examines the tokens, their scopes, and the channels, people and apps that the configuration
// names.
func (d *Doctor) examineSlack(ctx context.Context, f *List) {
	botToken := d.secrets[secrets.SlackBotToken]
	appToken := d.secrets[secrets.SlackAppToken]
	botGood := true
	appGood := true
	for _, fault := range config.SlackTokenFaults(d.secrets) {
		f.problem(fault.What, fault.Cure)
		botGood = botGood && fault.Variable != secrets.SlackBotToken
		appGood = appGood && fault.Variable != secrets.SlackAppToken
	}
	if config.SwappedTokens(d.secrets) {
		return
	}
	c := slackCheck{
		List: f, repositories: d.config.Repositories, botAtWork: d.botAtWork,
		bot: bot.Config{BotToken: botToken, AppToken: appToken, APIURL: d.settings.SlackURL, Log: d.log},
	}
	var app string
	if botGood {
		if e, err := examine.App(ctx, c.bot); err != nil {
			c.refuse("the bot token "+examine.Masked(botToken), err, "")
			appGood = appGood && plaintext.NetworkError(err) == "" // else the same would be said twice
		} else {
			c.Examiner = e
			app = e.App
			c.reportBot()
		}
	}
	if appGood {
		c.examineSocket(ctx, app)
	}
	if c.Examiner != nil {
		c.examineChannels(ctx)
		c.examineApprovers(ctx)
		c.examineFeeds(ctx)
	}
}

// appPage returns the URL of a page of the app at api.slack.com, or the list of apps if app is empty.
func appPage(app, name string) string {
	if app == "" {
		return "https://api.slack.com/apps"
	}
	return "https://api.slack.com/apps/" + app + "/" + name
}

// refuse adds a problem for an error of a Slack request, with a cure.
func (sc slackCheck) refuse(what string, err error, cure string) {
	f := explainSlack(what, err, cure)
	sc.problem(f.What, f.Cure)
}

func (sc slackCheck) reportBot() {
	self := sc.Self()
	sc.ok("the bot token %s is that of @%s in %s (%s)", examine.Masked(sc.bot.BotToken), self.Name,
		self.TeamName, sc.URL)
	if sc.Scopes == nil {
		sc.note("Slack did not say which scopes the bot token has", "compare them with: bobbin manifest")
	} else {
		sc.examineScopes()
	}
	if sc.Ahead.Abs() > skew {
		sc.warn("this machine's clock is "+clockDifference(sc.Ahead)+" Slack's",
			"set it: timedatectl set-ntp true")
	}
}

func clockDifference(ahead time.Duration) string {
	if ahead < 0 {
		return (-ahead).Round(time.Second).String() + " behind"
	}
	return ahead.Round(time.Second).String() + " ahead of"
}

func (sc slackCheck) examineScopes() {
	lacking := 0
	for _, s := range deploy.Scopes() {
		if slices.Contains(sc.Scopes, s.Name) {
			continue
		}
		lacking++
		what := server.LacksScope(s)
		cure := fmt.Sprintf("add it at %s (or put the output of bobbin manifest there), "+
			"then reinstall the app at %s", appPage(sc.App, "app-manifest"),
			appPage(sc.App, "install-on-team"))
		if sc.needsScope(s.Name) {
			sc.problem(what, cure)
		} else {
			sc.warn(what, cure)
		}
	}
	if i := slices.IndexFunc(sc.repositories, func(r config.Repository) bool {
		return r.Owners == config.Mention || r.Authors == config.Mention
	}); i >= 0 && !slices.Contains(sc.Scopes, "users:read.email") {
		lacking++
		sc.warn(fmt.Sprintf("%s has owners: mention or authors: mention, and the app lacks the scope "+
			"users:read.email: people are named there, and not mentioned", sc.repositories[i].Describe()),
			fmt.Sprintf("add it at %s, then reinstall the app at %s", appPage(sc.App, "oauth"),
				appPage(sc.App, "install-on-team")))
	}
	if lacking == 0 {
		sc.ok("the app has all scopes that Bobbin uses")
	}
}

// needsScope reports whether the bot cannot work without a scope. Two scopes are needed only for a setting:
// usergroups:read for approvers and needs that are user groups, reactions:read for reactions. It works
// without pins:write.
func (sc slackCheck) needsScope(scope string) bool {
	switch scope {
	case "usergroups:read":
		return slices.ContainsFunc(sc.repositories,
			func(r config.Repository) bool {
				return slices.ContainsFunc(r.Approvers, isGroup) ||
					slices.ContainsFunc(r.Needs,
						func(n config.Need) bool { return slices.ContainsFunc(n.From, isGroup) })
			})
	case "pins:write": // only for the button of the App Home, which says so
		return false
	case "reactions:read":
		return slices.ContainsFunc(sc.repositories,
			func(r config.Repository) bool { return len(r.Reactions) > 0 })
	}
	return true
}

func isGroup(id string) bool { return strings.HasPrefix(id, "S") }

// examineSocket opens a Socket Mode link as the bot would. While a bot runs, it only requests the link's
// address: an event that Slack sends to a link that is about to close arrives late, and a button press is
// lost.
func (sc slackCheck) examineSocket(ctx context.Context, app string) {
	at, err := examine.Socket(ctx, sc.bot, sc.botAtWork)
	masked := "the app token " + examine.Masked(sc.bot.AppToken)
	var refused *bot.AuthError
	switch {
	case errors.As(err, &refused) && refused.Code == "missing_scope":
		sc.refuse(masked, err, "it lacks connections:write: generate another at "+appPage(app, "general")+
			", App-Level Tokens, with that scope")
	case errors.As(err, &refused) && refused.Code == "socket_mode_not_enabled":
		sc.problem("Socket Mode is off", "turn it on at "+appPage(app, "socket-mode"))
		return
	case err != nil:
		sc.refuse(masked, err, "")
	case sc.botAtWork:
		sc.ok("%s may open links; none was opened, since a bot is running", masked)
	default:
		sc.ok("%s opened a link, and Slack answered (%s open)", masked, cli.Count(at.Links, "link"))
	}
	if at.App != "" && app != "" && at.App != app {
		sc.problem(fmt.Sprintf("the two tokens are of different apps: %s is of %s, %s of %s",
			secrets.SlackBotToken, app, secrets.SlackAppToken, at.App),
			"take both from the page of one app: "+appPage(app, "general"))
	}
	if err == nil { // Slack has no request for the app's event subscriptions
		sc.note("whether events and buttons arrive shows only in use: mention the bot, "+
			"and it answers with a reaction within a second",
			fmt.Sprintf("if it does not: on the app's page (%s) Event Subscriptions has to be on, with %s, "+
				"and Interactivity as well",
				appPage(app, "event-subscriptions"), strings.Join(deploy.Names(deploy.Events()), ", ")))
	}
}

// examineChannels examines each channel that the configuration names. If it names none, it reports how many
// channels the bot is in.
func (sc slackCheck) examineChannels(ctx context.Context) {
	var seen, good []string
	for _, r := range sc.repositories {
		for _, named := range r.Channels {
			if slices.Contains(seen, named) {
				continue
			}
			seen = append(seen, named)
			if name := sc.examineChannel(ctx, named); name != "" && !slices.Contains(good, "#"+name) {
				good = append(good, "#"+name)
			}
		}
	}
	if len(good) > 0 {
		sc.ok("the bot is in %s", strings.Join(good, ", "))
	}
	if len(seen) > 0 {
		return
	}
	known, err := sc.Channels(ctx)
	switch n := len(known); {
	case err != nil:
		sc.refuse("the bot's channels", err, "")
	case n == 0:
		sc.warn("the bot is in no channel", "/invite @"+sc.Self().Name+" in the channel where it should work")
	default:
		sc.ok("the bot is in %s", cli.Count(n, "channel"))
	}
}

// examineChannel examines one channel. It returns the channel's name if the bot can work there, else an
// empty string.
func (sc slackCheck) examineChannel(ctx context.Context, named string) string {
	at, near, err := sc.Channel(ctx, named)
	invite := "/invite @" + sc.Self().Name + " in "
	switch {
	case err != nil:
		sc.refuse("channel "+named, err, "")
	case at.ID == "" && at.Name != "":
		f := noSuchChannel(named, sc.Self().Name, near)
		sc.problem(f.What, f.Cure)
	case at.ID == "":
		sc.problem("there is no channel "+named+" that the bot can see", "if it is private: "+invite+
			"it; else correct the id (the channel's name, View channel details, at the bottom)")
	case at.Archived:
		sc.problem("channel "+at.String()+" is archived", "name another")
	case !at.Member:
		sc.problem("the bot is not in "+at.String(), invite+"#"+at.Name)
	case at.Shared:
		sc.warn(at.String()+" is shared with another organisation: its people can read what Bobbin says "+
			"there, and cannot approve", "use a channel of your own for code that they may not see")
		return at.Name
	default:
		return at.Name
	}
	return ""
}

// examineApprovers checks that the people and groups that the configuration names can approve anything at
// all.
func (sc slackCheck) examineApprovers(ctx context.Context) {
	var seen, good []string
	for _, r := range sc.repositories {
		if r.OtherThanRequester && len(r.Approvers) == 1 && !isGroup(r.Approvers[0]) {
			sc.warn(fmt.Sprintf("%s has one approver, and somebody other than the requester has to approve: "+
				"nobody can approve what that person asks for", r.Describe()),
				"name another approver as well")
		}
		if r.Approvals > 1 || len(r.Needs) > 0 {
			sc.examineQuorum(ctx, r)
		}
		for _, id := range r.Approvers {
			if slices.Contains(seen, id) {
				continue
			}
			seen = append(seen, id)
			look := sc.examineApprover
			if isGroup(id) {
				look = sc.examineGroup
			}
			if name := look(ctx, id); name != "" {
				good = append(good, name)
			}
		}
	}
	if len(good) > 0 {
		sc.ok("may approve: %s", strings.Join(good, ", "))
	}
}

func (sc slackCheck) examineApprover(ctx context.Context, id string) string {
	p, found, err := sc.Person(ctx, id)
	p.InThread = true // whether the person is in the channel is checked at the approval
	switch why := (workflow.Approvers{}).MayApprove(p, ""); {
	case err != nil:
		sc.refuse("approver "+id, err, "")
	case !found:
		sc.problem("approver "+id+" is nobody in this workspace",
			"correct the id (the person's profile, ⋮, Copy member ID)")
	case why != "":
		sc.problem(fmt.Sprintf("approver %s (%s) can never approve: %s", id, p.Name, why),
			"name a full member instead")
	default:
		return p.Name
	}
	return ""
}

func (sc slackCheck) examineGroup(ctx context.Context, id string) string {
	users, found, err := sc.Group(ctx, id)
	switch {
	case err != nil:
		sc.refuse("user group "+id, err, "")
	case !found:
		sc.problem("there is no user group "+id, "correct the id, or enable the group (People, User groups)")
	case len(users) == 0:
		sc.problem("user group "+id+" has no members: nobody can approve as a member of it",
			"add people to it (People, User groups)")
	default:
		return fmt.Sprintf("%s (%s)", id, cli.Count(len(users), "member"))
	}
	return ""
}
