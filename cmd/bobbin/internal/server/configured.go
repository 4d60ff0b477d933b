package server

import (
	"cmp"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/housekeeping"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// FromConfig returns the settings of a bot from its configuration file, the secrets by variable name and
// the target, which says where its data is. hide learns the keys that are read.
func FromConfig(
	file config.Config, values map[string]string, target storage.Target, hide *redact.Finder,
) (Settings, error) {
	s := Settings{Target: target}
	s.SlackToken = values[secrets.SlackBotToken]
	s.SlackAppToken = values[secrets.SlackAppToken]
	s.ModelSettings = ModelsFromConfig(file, values)
	s.Sandbox = file.Sandbox
	s.LimitChecks = file.LimitChecks
	s.Attempts = file.Limits.Attempts
	s.BlockedHosts = address.OwnHosts(s.DatabaseURL)
	s.Limits = file.Limits.AskedAt()
	s.Secrets = hide
	s.Seats = queue.ConcurrencyLimits{
		AtOnce:        cmp.Or(file.Limits.SessionsAtOnce, 8),
		PerRepository: file.Limits.PerRepository,
		PerReplica:    file.Limits.PerReplica,
	}
	s.Silent = file.Limits.SilentFor()
	s.HunkTime = file.Limits.HunkTime()
	s.HistoryTime = file.Limits.HistoryTime()
	s.Unanswered = time.Duration(file.Limits.Unanswered) * time.Minute
	s.SkillsDir = file.SkillsDir
	s.SlackLinks = file.Slack.Connections
	s.ProgressCards = file.Slack.ProgressCard != "off"
	s.AgentStatus = file.Slack.AgentStatus
	s.Signs = true
	s.Admins = file.Slack.Admins
	for _, one := range file.Trackers {
		t, err := one.Open(values)
		if err != nil {
			return s, err
		}
		s.Trackers = append(s.Trackers, t)
	}
	for _, one := range file.Sources {
		s.Sources = append(s.Sources, one.Options(values))
	}
	if t := file.Transcription; t.URL != "" {
		s.Transcriber = &model.Transcriber{BaseURL: t.URL, Model: t.Model, Key: values[t.KeyEnv]}
	}
	s.HTTPAddr = file.HTTP.Addr
	s.PageURL = file.HTTP.URL
	s.SignIn = SignIn{string(file.HTTP.SignIn.ClientID), values[file.HTTP.SignIn.SecretEnv]}
	s.Keep = housekeeping.FromConfig(file.Keep)
	credentials, err := file.Credentials(values, hide)
	if err != nil {
		return s, err
	}
	if s.Words, err = file.Words.Lexicon(); err != nil {
		return s, err
	}
	s.Reactions = file.ReactionsByChannel()
	s.MentionAuthors = map[string]bool{}
	for _, r := range file.Repositories {
		s.MentionAuthors[r.Name] = r.Authors == config.Mention
		at := repositoryOf(r, credentials[r.Name], values)
		if at.PushTo = forkOf(r, credentials[r.Name], values); at.PushTo != nil {
			at.PushTo.Only = at.OwnBranches()
		}
		if at.Pulls, err = pullRequestsOf(file, r, credentials[r.Name], values); err != nil {
			return s, err
		}
		if at.Commits, err = commitsOf(r, at.Pulls.Host, hide); err != nil {
			return s, err
		}
		s.Repositories = append(s.Repositories, at)
		for _, channel := range r.Channels {
			if len(r.WatchApps) > 0 {
				s.Feeds = append(s.Feeds,
					workflow.Feed{Channel: channel, Repository: r.Name, Apps: r.WatchApps})
			}
		}
		if r.Watch == "all" {
			s.Watch = append(s.Watch, r.Channels...)
		}
	}
	return s, nil
}

// ModelsFromConfig returns the models and agents of the configuration file, with the keys of their
// endpoints.
func ModelsFromConfig(file config.Config, values map[string]string) ModelSettings {
	s := ModelSettings{
		ModelKey:  values[secrets.ModelKey],
		Vision:    map[string]bool{},
		Windows:   map[string]int{},
		Endpoints: map[string]model.Endpoint{},
	}
	s.Agents = map[string]agent.Setting{}
	s.Prices = map[string]model.Price{}
	s.Fallback = map[string][]string{}
	for name, a := range file.Agents {
		s.Agents[name] = agent.Setting{Model: a.Model, Effort: a.Effort, Display: a.Name}
	}
	for _, name := range file.ModelsAsked() {
		if p, known := file.PriceOf(name); known {
			s.Prices[name] = model.Price{Input: p.Input, Output: p.Output, Cached: p.Cached}
		}
	}
	for name, m := range file.Models {
		s.Fallback[name] = m.Fallback
		s.Vision[name] = m.Vision
		s.Windows[name] = m.Window
		if e := m.ModelEndpoint; e.URL != "" || e.KeyEnv != "" ||
			e.KeyHeader != "" || len(e.Headers) > 0 || e.ServedAs != "" {
			s.Endpoints[name] = model.Endpoint{
				BaseURL:   e.URL,
				Key:       values[e.KeyEnv],
				KeyHeader: e.KeyHeader,
				Headers:   e.Headers,
				Model:     e.ServedAs,
			}
		}
	}
	return s
}

func repositoryOf(
	r config.Repository, credentials remote.Credentials, values map[string]string,
) repository.Repository {
	setup := r.Setup.Options(values)
	setup.Extra = r.Installed.Options()
	return repository.Repository{
		Remote:       remote.Remote{Name: r.Name, URL: r.URL, Credentials: credentials},
		Base:         r.Base,
		Releases:     r.Releases,
		Bases:        r.Bases,
		Channels:     r.Channels,
		BranchPrefix: r.BranchPrefix,
		Naming:       r.Naming.Forms(),
		Build:        r.Checks.Build,
		Test:         r.Checks.Test,
		Near:         r.Checks.Near,
		Warm:         r.Checks.Warm == "on",
		CI:           r.Checks.CI,
		Scope:        r.Scope,
		Setup:        setup,
		Environment:  r.Environment(),
		Display: repository.Display{
			CodeURL: address.CodeURL(r.CodeURL, r.URL),
			Visual:  repository.Visual{Off: r.Visual.IsOff(), Pages: r.Visual.Pages, Build: r.Visual.Build},
		},
		Approvers:      approvers(r),
		MembersOnly:    r.Guests == config.NoCode,
		Private:        r.Private,
		Visibility:     host.Visibility(r.Readers),
		Anonymous:      r.Named == config.Anonymous,
		Unreviewed:     r.Review == "off",
		MentionsOwners: r.Owners == config.Mention,
	}
}

// approvers returns who may approve work on the repository, how many have to, and who has to be among them.
func approvers(r config.Repository) workflow.Approvers {
	a := workflow.Approvers{
		People: r.Approvers, OtherThanRequester: r.OtherThanRequester, Needed: r.Approvals,
	}
	for _, n := range r.Needs {
		a.Needs = append(a.Needs, workflow.Need{Name: n.Name, Files: n.Files, From: n.From})
	}
	return a
}
