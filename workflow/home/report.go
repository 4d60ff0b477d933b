package home

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// maxFormChannels is how many channels a form offers; Slack's menus have no more options.
const maxFormChannels = 100

// reportForm returns the form in which the user reports a bug or asks for a feature. The thread begins in the
// channel, or, if it is empty, in one that the user chooses.
func (h *Homes) reportForm(
	ctx context.Context, user string, action workflow.ActionID, channel string,
) (*workflow.Form, error) {
	f := &workflow.Form{ActionID: action, Value: channel}
	if f.Late = h.reporter(ctx, user); f.Late != "" || channel != "" {
		return f, nil
	}
	shared, err := h.Directory.Shared(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("channels for a form: %w", err)
	}
	if len(shared) == 0 {
		f.Late = noChannel
		return f, nil
	}
	own := func(c workflow.Channel) int {
		for _, r := range h.Repositories {
			if slices.Contains(r.Channels, c.ID) {
				return 0
			}
		}
		return 1
	}
	slices.SortStableFunc(shared, func(a, b workflow.Channel) int { return own(a) - own(b) })
	f.Value = anyChannel
	f.Channels = shared[:min(len(shared), maxFormChannels)]
	return f, nil
}

const (
	anyChannel = "any" // the value of a form whose channel is chosen in it
	noChannel  = "You are in no channel with me. Invite me to one, or write me a direct message."
)

// reporter returns in words why the user may begin no thread at all with a report now, or an empty string if
// the user may.
func (h *Homes) reporter(ctx context.Context, user string) string {
	p, unknown := h.identify(ctx, user)
	return cmp.Or(unknown, mayNotReport(p))
}

// mayNotReport returns in words why the person may begin no thread with a report, or an empty string.
func mayNotReport(p workflow.Person) string {
	switch {
	case p.ExclusionReason() != "":
		return "Only full members of this workspace can start work here; ask one to."
	case p.Guest:
		return "Guests cannot start work here; ask a full member to."
	}
	return ""
}

// MayReport returns in words why the user may not begin a thread in the channel with a report, or an empty
// string if the user may: a full member who is in it. Slack is asked each time.
func (h *Homes) MayReport(ctx context.Context, user, channel string) (why string, err error) {
	why = h.reporter(ctx, user)
	if why != "" || strings.HasPrefix(channel, "D") { // only its two people can write there
		return why, nil
	}
	channels, err := h.Directory.Channels(ctx, user)
	if err != nil {
		return "", fmt.Errorf("whether somebody may report in %s: %w", channel, err)
	}
	if !slices.Contains(channels, channel) {
		return "You are not in that channel, or I am not. Choose another one.", nil
	}
	return "", nil
}

// maxStatus is how many sessions a status lists.
const maxStatus = 20

// Status returns the sessions of the channel that the user may see, the newest first, or in words why the
// user may see none.
func (h *Homes) Status(
	ctx context.Context, user, channel string,
) (status workflow.ChannelStatus, refused string, err error) {
	status.Channel = channel
	if status.Person, refused = h.Visitor(ctx, user); refused != "" {
		return status, refused, nil
	}
	may, err := h.reads(ctx, user, workflow.Session{
		Thread: workflow.Thread{Channel: channel}, Requester: user,
	})
	if err != nil {
		return status, "", fmt.Errorf("status of a channel: %w", err)
	}
	if !may {
		return status, "You are not in this channel, or I am not.", nil
	}
	person := "" // whose direct messages these are
	if strings.HasPrefix(channel, "D") {
		person = user
	}
	list, err := view.SessionsIn(ctx, h.Store.DB, channel, person, maxStatus+1)
	if err != nil {
		return status, "", err
	}
	groups := map[string][]string{}
	p := status.Person
	p.InThread = true
	for _, s := range list[:min(len(list), maxStatus)] {
		x := workflow.HomeSession{Session: h.Masked(s)}
		if p.Guest || p.Stranger || p.Name == "" { // a finding may name code
			x.Finding = ""
		}
		if x.Standing() == workflow.HomeWaiting {
			_, x.Why = h.awaitedOf(ctx, s, p, groups)
		}
		status.Sessions = append(status.Sessions, x)
	}
	status.More = len(list) > maxStatus
	return status, "", nil
}
