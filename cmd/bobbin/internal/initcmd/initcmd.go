// Package initcmd implements bobbin init, which writes a configuration file from the answers to a few
// questions. It asks on standard error and reads one line for each answer, from a person or a pipe. The
// file is written whole at the end or not at all, and an existing file is replaced only after a
// confirmation.
package initcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/doctor"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
)

// Command is the subcommand bobbin init.
type Command struct {
	operate.StorageFlags
	Config   string `from:"BOBBIN_CONFIG" help:"The file to write ($BOBBIN_CONFIG; ${default})." placeholder:"FILE" default:"bobbin.yaml"`
	SlackURL string `from:"SLACK_API_URL" help:"A Slack API other than Slack's own ($SLACK_API_URL)." placeholder:"URL"`
	ModelURL string `from:"OPENAI_BASE_URL" help:"An OpenAI-compatible endpoint ($OPENAI_BASE_URL)." placeholder:"URL"`
	HostAPI  string `hidden:"" help:"An API of a git host other than the token's."`
	NoDoctor bool   `help:"Do not run bobbin doctor afterwards."`
}

// Help returns the detailed text of bobbin init --help.
func (Command) Help() string {
	return `Asks a few questions and writes bobbin.yaml: which channels, which repository, who may
approve, which model. With SLACK_BOT_TOKEN set it offers the channels that the token sees; with a
token of GitHub or GitLab in BOBBIN_GIT_TOKEN, the repositories that the token can see. Then bobbin
doctor checks all of it and, if it finds no problem, init offers to start the bot.

An existing file is replaced only if you say so. Ctrl-C writes nothing. Answers may come from a pipe,
one per line:

  printf '%s\n' '#bugs' https://github.com/acme/shop.git shop '' '' | bobbin init`
}

// Ask asks the questions, writes the file and runs the doctor on it. If the doctor finds no problem, it asks
// whether to start the bot, and returns the answer.
func (c *Command) Ask(ctx context.Context, con cli.Console) (start bool, err error) {
	a := newAsker(ctx, con)
	if err := c.makeFile(ctx, con, a); err != nil || c.NoDoctor {
		return false, err
	}
	target, err := c.Target(con)
	if err != nil {
		return false, err
	}
	err = doctor.New(
		doctor.Options{Config: c.Config, Storage: target, SlackURL: c.SlackURL, ModelURL: c.ModelURL}, con,
	).Examine(ctx, false)
	if err != nil {
		return false, err
	}
	answer, err := a.ask("Start it now? yes or no", "no")
	if ended := (cli.UsageError{}); errors.As(err, &ended) {
		return false, nil // the answers of a pipe may end before this question
	}
	return isYes(answer), err
}

func isYes(answer string) bool {
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}

// makeFile asks the questions and writes the file.
func (c *Command) makeFile(ctx context.Context, con cli.Console, a *asker) error {
	if at, err := os.Stat(c.Config); err == nil && at.IsDir() {
		return cli.UsageError{Err: fmt.Errorf("bobbin: %s is a folder; remove it, or name another file with "+
			"--config", c.Config)}
	} else if err == nil {
		answer, err := a.ask(c.Config+" is there. Replace it? yes or no", "no")
		if err != nil {
			return err
		}
		if !isYes(answer) {
			return cli.UsageError{
				Err: fmt.Errorf("bobbin: %s stays as it is; name another file with --config", c.Config),
			}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return cli.UsageError{Err: fmt.Errorf("bobbin: %w", err)}
	}
	// Whether the file can be written is checked before the first question.
	empty, err := c.create()
	if err != nil {
		return err
	}
	if err := errors.Join(empty.Close(), os.Remove(empty.Name())); err != nil {
		return err
	}
	text, err := c.askAll(ctx, con, a)
	if err != nil {
		return err
	}
	if err := c.write(ctx, text); err != nil {
		return err
	}
	fmt.Fprintf(con.Err, "\nWrote %s. docs/configuration.md describes what else it can have.\n\n", c.Config)
	return nil
}

// askAll asks all questions and returns the text of the file. It repeats a question whose answer the
// configuration would refuse.
func (c *Command) askAll(ctx context.Context, con cli.Console, a *asker) (string, error) {
	var f file
	offered, own := c.channels(ctx, con)
	first := "" // a channel where the bot would have to be invited is nobody's default
	if own > 0 {
		first = "1"
	}
	err := a.until(con, "Channels in which it works: numbers, #names or ids, separated by "+
		"commas", first, offered,
		func(answer string) error {
			f.Channels = choose(answer, offered)
			return c.try(file{Name: "x", URL: "/x", Channels: f.Channels})
		})
	if err != nil {
		return "", err
	}
	repositories := c.repositories(ctx, con)
	err = a.until(con, "Repository: a number, or its https, ssh or local address", "", repositories,
		func(answer string) error {
			chosen := choose(answer, repositories)
			if len(chosen) != 1 {
				return errors.New("one repository; more can be added to the file")
			}
			f.URL = chosen[0].value
			return c.try(file{Name: "x", URL: f.URL})
		})
	if err != nil {
		return "", err
	}
	err = a.until(con, "What people call it", nameOf(f.URL), nil, func(answer string) error {
		f.Name = answer
		return c.try(file{Name: answer, URL: f.URL})
	})
	if err != nil {
		return "", err
	}
	err = a.until(con, "Who may approve: ids of people or groups (U…, S…), separated by commas; empty: "+
		"any full member in the channel", "", nil, func(answer string) error {
		f.Approvers = choose(answer, nil)
		return c.try(file{Name: "x", URL: "/x", Approvers: f.Approvers})
	})
	if err != nil {
		return "", err
	}
	err = a.until(con, "Model for all agents; empty: "+defaultModel, "", nil, func(answer string) error {
		f.Model = answer
		return c.try(f)
	})
	return f.String(), err
}

// nameOf returns the last part of a repository's address without .git, or "shop" if there is none.
func nameOf(url string) string {
	last := url[strings.LastIndexAny(strings.TrimRight(url, "/"), "/:")+1:]
	return cmp.Or(strings.TrimSuffix(strings.TrimRight(last, "/"), ".git"), "shop")
}

// try returns why config.Load would refuse the file f, or nil.
func (c *Command) try(f file) error {
	dir, err := os.MkdirTemp("", "bobbin-init-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "bobbin.yaml")
	if err := os.WriteFile(name, []byte(f.String()), 0o600); err != nil {
		return err
	}
	_, err = config.Load(name)
	if err == nil {
		return nil
	}
	var why []string
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimPrefix(strings.TrimSpace(line), name+":")
		if number, rest, found := strings.Cut(line, ": "); found {
			if _, err := strconv.Atoi(number); err == nil {
				line = rest
			}
		}
		why = append(why, line)
	}
	return errors.New(strings.Join(why, "; "))
}

// create makes a temporary file in the folder of the file to be written.
func (c *Command) create() (*os.File, error) {
	fresh, err := os.CreateTemp(filepath.Dir(c.Config), ".bobbin-init-*")
	if err != nil {
		return nil, cli.UsageError{
			Err: fmt.Errorf("bobbin: %s cannot be written: %w", c.Config, cli.Errno(err)),
		}
	}
	return fresh, nil
}

// write writes the file: into a temporary file that is then renamed.
func (c *Command) write(ctx context.Context, text string) error {
	fresh, err := c.create()
	if err != nil {
		return err
	}
	defer os.Remove(fresh.Name())
	_, err = fresh.WriteString(text)
	if err = errors.Join(err, fresh.Chmod(0o644), fresh.Sync(), fresh.Close(), ctx.Err()); err == nil {
		err = os.Rename(fresh.Name(), c.Config)
	}
	if err != nil {
		return fmt.Errorf("%s was not written: %w", c.Config, err)
	}
	return nil
}
