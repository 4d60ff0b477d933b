package initcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/examine"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
)

const (
	lookWithin = 15 * time.Second // for requests to Slack or to a git host
	maxOffered = 30
	maxAnswer  = 4 << 20 // bytes of a response of the git host
)

// channels returns the channels that the bot's token sees: first those that the bot is in, then the public
// ones where it has to be invited, each sorted by name. own is how many it is in. If it cannot, it prints why
// and returns none.
func (c *Command) channels(ctx context.Context, con cli.Console) (list []choice, own int) {
	token := con.Env(secrets.SlackBotToken)
	if token == "" {
		fmt.Fprintln(con.Err, secrets.SlackBotToken+
			" is not set, so the bot's channels cannot be offered; bobbin doctor says how to get one.")
		return nil, 0
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	e, err := examine.App(ctx,
		bot.Config{BotToken: token, APIURL: c.SlackURL, Log: slog.New(slog.DiscardHandler)})
	var known, open map[string]string
	if err == nil {
		known, err = e.Channels(ctx)
	}
	if err == nil {
		open, err = e.OpenChannels(ctx)
	}
	if err != nil {
		fmt.Fprintf(con.Err, "The bot's channels cannot be offered: %v\n", err)
		return nil, 0
	}
	add := func(some map[string]string, note string) {
		for _, name := range slices.Sorted(maps.Keys(some)) {
			list = append(list,
				choice{name: "#" + cli.WithoutControls(name), value: some[name], note: note})
		}
	}
	add(known, "")
	add(open, " (the bot is not in it: /invite @"+e.Self().Name+" there)")
	if len(known) == 0 {
		fmt.Fprintln(con.Err,
			"The bot is in no channel yet: /invite @"+e.Self().Name+" in the channel where it should work.")
	}
	if more := len(list) - maxOffered; more > 0 {
		fmt.Fprintf(con.Err, "There are %d more channels; name one with its #name.\n", more)
	}
	return list[:min(len(list), maxOffered)], min(len(known), maxOffered)
}

// repositories returns the repositories that the git token can access, the most recently pushed or active
// first. It knows tokens of GitHub and GitLab by their prefix.
func (c *Command) repositories(ctx context.Context, con cli.Console) (list []choice) {
	token := con.Env(secrets.GitToken)
	address, header := "", ""
	switch {
	case strings.HasPrefix(token, "ghp_"), strings.HasPrefix(token, "github_pat_"),
		strings.HasPrefix(token, "gho_"):
		address = cmp.Or(c.HostAPI, "https://api.github.com") + "/user/repos?sort=pushed&per_page=30"
		header = "Authorization"
		token = "Bearer " + token
	case strings.HasPrefix(token, "glpat-"):
		address = cmp.Or(c.HostAPI, "https://gitlab.com/api/v4") +
			"/projects?membership=true&simple=true&order_by=last_activity_at&per_page=30"
		header = "PRIVATE-TOKEN"
	default:
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	seen, err := askHost(ctx, address, header, token)
	if err != nil {
		fmt.Fprintf(con.Err, "The repositories that %s sees cannot be offered: %v\n", secrets.GitToken, err)
		return nil
	}
	for _, r := range seen {
		if at := cmp.Or(r.Clone, r.HTTP); strings.HasPrefix(at, "https://") {
			list = append(list, choice{
				name:  strings.Join(strings.Fields(cli.WithoutControls(cmp.Or(r.Full, r.Path))), " "),
				value: at,
			})
		}
	}
	return list[:min(len(list), maxOffered)]
}

// listed is one repository in the list that GitHub or GitLab returns; each fills two of the fields.
type listed struct {
	Full  string `json:"full_name"`
	Clone string `json:"clone_url"`
	Path  string `json:"path_with_namespace"`
	HTTP  string `json:"http_url_to_repo"`
}

func askHost(ctx context.Context, address, header, token string) (seen []listed, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set(header, token)
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the host answers %s", answer.Status)
	}
	return seen, json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(&seen)
}
