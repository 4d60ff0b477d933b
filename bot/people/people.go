package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the zones of people, also where the machine has none installed

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/attachment"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// A Directory looks up people and reads threads. Only Slack has to be set. It is safe for use by several
// goroutines.
type Directory struct {
	Slack *bot.Slack
	// Transcribe returns what is said in an audio or video file; name tells its form. nil: only clips that
	// Slack has written down are read.
	Transcribe func(ctx context.Context, name string, clip io.Reader) (string, error)

	mu    sync.Mutex
	names map[string]name      // by id of a user, channel or group
	full  map[string]time.Time // until when a user counts as a full member, by user id; see Outsiders
}

type name struct {
	shown string
	zone  *time.Location // of a user; nil: not known
	at    time.Time
}

// Person looks up a user, uncached, since decisions are based on it. If anything cannot be read, it returns
// an error, and the caller refuses.
func (d *Directory) Person(
	ctx context.Context, thread workflow.Thread, user string,
) (workflow.Person, error) {
	u, err := d.readUser(ctx, user)
	if err != nil {
		return workflow.Person{}, err
	}
	member, err := d.isMember(ctx, thread.Channel, user)
	if err != nil {
		return workflow.Person{}, err
	}
	who := d.describe(u)
	who.InThread = member
	return who, nil
}

// describe translates Slack's data about a user, without membership in a channel.
func (d *Directory) describe(u *slack.User) workflow.Person {
	self := d.Slack.Self()
	return workflow.Person{
		ID: u.ID, Name: shownName(u), Credit: credit(u), Team: u.TeamID, Deleted: u.Deleted,
		Bot:      u.IsBot || u.IsWorkflowBot || u.IsConnectorBot || u.ID == "USLACKBOT" || u.ID == self.User,
		Admin:    u.IsAdmin || u.IsOwner || u.IsPrimaryOwner,
		Guest:    u.IsRestricted || u.IsUltraRestricted,
		Stranger: u.IsStranger || !d.isOwnWorkspace(u),
	}
}

// isOwnWorkspace reports whether the account belongs to the bot's workspace.
func (d *Directory) isOwnWorkspace(u *slack.User) bool {
	self := d.Slack.Self()
	return u.TeamID == self.Team || slices.Contains(u.Enterprise.Teams, self.Team)
}

func (d *Directory) readUser(ctx context.Context, id string) (u *slack.User, err error) {
	err = d.Slack.Call(ctx, func() error {
		u, err = d.Slack.API.GetUserInfoContext(ctx, id)
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("users.info of %s: %w", id, bot.ExplainError(err, bot.BotTokenName))
	case u.ID != id:
		return nil, fmt.Errorf("users.info of %s told of %q", id, u.ID)
	}
	return u, nil
}

func (d *Directory) isMember(ctx context.Context, channel, user string) (is bool, err error) {
	err = d.eachMember(ctx, channel, func(member string) (bool, error) {
		is = member == user
		return is, nil
	})
	return is, err
}

// Members returns the ids of all members of a channel, uncached.
func (d *Directory) Members(ctx context.Context, channel string) (users []string, err error) {
	err = d.eachMember(ctx, channel, func(user string) (bool, error) {
		users = append(users, user)
		return false, nil
	})
	return users, err
}

// eachMember calls each with every member of a channel until each reports done or fails.
func (d *Directory) eachMember(
	ctx context.Context, channel string, each func(user string) (done bool, err error),
) error {
	params := &slack.GetUsersInConversationParameters{ChannelID: channel, Limit: 1000}
	for range bot.MaxPages {
		var members []string
		var next string
		err := d.Slack.Call(ctx, func() (err error) {
			members, next, err = d.Slack.API.GetUsersInConversationContext(ctx, params)
			return err
		})
		if err != nil {
			return fmt.Errorf("conversations.members of %s: %w", channel,
				bot.ExplainError(err, bot.BotTokenName))
		}
		for _, m := range members {
			if done, err := each(m); done || err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		params.Cursor = next
	}
	return errors.New("conversations.members of " + channel + ": too many pages")
}

// Group returns the members of a user group (S…), uncached.
func (d *Directory) Group(ctx context.Context, group string) (users []string, err error) {
	err = d.Slack.Call(ctx, func() error {
		users, err = d.Slack.API.GetUserGroupMembersContext(ctx, group)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("usergroups.users.list of %s: %w", group,
			bot.ExplainError(err, bot.BotTokenName))
	}
	return users, nil
}

// ByEmail returns the id of the person with that address, or an empty string if there is none. It requires
// the scope users:read.email.
func (d *Directory) ByEmail(ctx context.Context, address string) (id string, err error) {
	if !emailAddress.MatchString(address) {
		return "", nil
	}
	err = d.Slack.Call(ctx, func() error {
		u, err := d.Slack.API.GetUserByEmailContext(ctx, address)
		if u != nil {
			id = u.ID
		}
		return err
	})
	if bot.ErrorCode(err) == "users_not_found" {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("users.lookupByEmail: %w", bot.ExplainError(err, bot.BotTokenName))
	}
	return id, nil
}

// nameCacheLife is how long a name is cached before it is read again.
const nameCacheLife = 10 * time.Minute

// maxNames limits the name cache and the cache of full members; a full cache is emptied.
const maxNames = 5000

// DisplayName returns the name of a user, or the id if the name cannot be read. Use it for prompts and
// display, never for decisions.
func (d *Directory) DisplayName(ctx context.Context, user string) string {
	return d.cachedUser(ctx, user).shown
}

// userID matches the id of a user, and not the name of an app.
var userID = regexp.MustCompile(`^[UW][A-Z0-9]+$`)

// Zone returns the time zone that a user has set in Slack, or nil if it is not known, as for an app's name.
// Use it for prompts and display, like DisplayName.
func (d *Directory) Zone(ctx context.Context, user string) *time.Location {
	if !userID.MatchString(user) {
		return nil
	}
	return d.cachedUser(ctx, user).zone
}

func (d *Directory) cachedUser(ctx context.Context, user string) name {
	return d.cached(user, func() (name, error) {
		u, err := d.readUser(ctx, user)
		if err != nil {
			return name{}, err
		}
		return name{shown: shownName(u), zone: zoneOf(u)}, nil
	})
}

// zoneOf returns the time zone of a user: the named one, whose summer time is known, or else the clock's
// distance from UTC.
func zoneOf(u *slack.User) *time.Location {
	if u.TZ != "" && u.TZ != "Local" {
		if zone, err := time.LoadLocation(u.TZ); err == nil {
			return zone
		}
	}
	const day = 24 * 60 * 60
	if u.TZOffset == 0 || u.TZOffset <= -day || u.TZOffset >= day {
		return nil
	}
	return time.FixedZone("", u.TZOffset)
}

// shownName returns the name that Slack shows. People choose it freely, and lines of the program may begin
// with it, so it is cleaned, cut to 80 characters, and quoted if it reads like more than a name.
func shownName(u *slack.User) string {
	name := mrkdwn.OneLine(cmp.Or(u.Profile.DisplayName, u.RealName, u.Profile.RealName, u.Name, u.ID), 80)
	if len(strings.Fields(name)) > wordsOfAName || noName.MatchString(name) {
		return "“" + strings.Trim(name, "“”") + "”"
	}
	return name
}

// wordsOfAName is how many words a name has at most that is not quoted.
const wordsOfAName = 4

// noName matches what is in no name: marks of sentences, and signs such as the program's own.
var noName = regexp.MustCompile(`[:;!?]|\pL{3}\. |[✓✔✅☑✗✘✖❌❎🗸◆⬥⯁⬧♦🔷🔶🔹🔸]`)

// Fetch reads a file that a person attached, as [attachment.Fetcher] does: its text goes to text, and dir is
// a folder for what is downloaded meanwhile.
func (d *Directory) Fetch(
	ctx context.Context, a workflow.Attachment, dir string, text io.Writer,
) (workflow.Attachment, error) {
	return attachment.Fetcher{Slack: d.Slack, Transcribe: d.Transcribe}.Fetch(ctx, a, dir, text)
}
