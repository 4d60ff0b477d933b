package judge

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// eventRules returns the rules by which it is decided who is heard. What a person wrote or pressed is then
// judged by the rules for words or for presses.
func eventRules() []rule {
	return append(wordlessRules(), personRules()...)
}

// isKind returns whether a message is of that kind.
func isKind(kind workflow.MessageKind) func(*Case) bool {
	return func(c *Case) bool { return c.Message.Kind == kind }
}

// wordlessRules are the rules for what is no new message to the bot. None of it permits anything.
func wordlessRules() []rule {
	return []rule{
		{
			name: "for another repository of the thread",
			when: "the thread works on several repositories, and it names another one than this session's, " +
				"or, in a part of the thread, none; what stops everything is for all",
			then:  "nothing here: the session of that repository judges it",
			fires: (*Case).isForElsewhere,
			judge: leaveToOthers,
		},
		{
			name:  "deletion",
			when:  "a message was deleted",
			then:  "the request: stops the session; an approval: voids it; what agents read: tells them",
			fires: isKind(workflow.MessageDelete),
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				f, err := j.judgeDeletion(ctx, c.Message)
				if err != nil {
					return f, err
				}
				return j.Held.Amend(ctx, c.Message, workflow.Person{ID: c.Message.User}, f)
			},
		},
		{
			name: "edit",
			when: "a message was edited",
			then: "is a correction, may stop, and voids the approval that the message gave; " +
				"never permits anything",
			fires: isKind(workflow.MessageEdit),
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeEdit(ctx, c)
			},
		},
		{
			name:  "reaction",
			when:  "an emoji was added or removed",
			then:  "one that says no objects to approved work until it is removed; no other counts",
			fires: isKind(workflow.MessageReacted),
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeReaction(ctx, c)
			},
		},
		{
			name:  "alert",
			when:  "an app posted it",
			then:  "is data for the agents, unless work is approved or stopped",
			fires: isKind(workflow.MessageAlert),
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeAlert(ctx, c.Message)
			},
		},
		{
			name:  "preview",
			when:  "Slack showed what a link in a message leads to, after the message was posted",
			then:  "is data for the agents, unless work is approved or stopped; it voids nothing",
			fires: isKind(workflow.MessagePreview),
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgePreview(ctx, c.Message)
			},
		},
		{
			name:  "time-out",
			when:  "a question waited long enough",
			then:  "takes the recommended answer, unless the work is stopped",
			fires: isKind(workflow.MessageDue),
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.takeDefault(c.Message, c.waiting()), nil
			},
		},
		{
			name: "remark at a git host",
			when: "somebody commented on the pull request",
			then: "is data for the agents if the login is mapped to a person who is heard; " +
				"otherwise it is held",
			fires: isKind(workflow.MessageRemark),
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return afterPush{j}.judgeRemark(ctx, c.Message)
			},
		},
		{
			name:  "reply below a list of threads",
			when:  "the thread only names others, and it does not mention the bot",
			then:  "nothing",
			fires: func(c *Case) bool { return isKind(workflow.MessageReply)(c) && c.Session.ListsThreads() },
			judge: ignore,
		},
		{
			name:  "to another person",
			when:  "it begins with the mention of another person, and does not mention the bot",
			then:  "what it has against approved work is an objection; nothing else counts",
			fires: func(c *Case) bool { return addressedElsewhere(c.Message) },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeToColleague(ctx, c)
			},
		},
	}
}

// personRules are the rules for what a person wrote, pressed or sent to the bot. The person is looked up in
// Slack.
func personRules() []rule {
	return []rule{
		{
			name:  "app",
			when:  "an app posted it, for no person",
			then:  "says once in a channel how to allow that app, if it mentions the bot",
			fires: func(c *Case) bool { return c.Message.App() != "" && c.isOfApp() },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeApp(ctx, c)
			},
		},
		{
			name:  "unknown writer",
			when:  "Slack does not tell who wrote or pressed it",
			then:  "refuses what would permit something; anything else is judged again later",
			fires: func(c *Case) bool { return get(c, &c.writer).err != nil },
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.RefuseUnknown(c.Message, get(c, &c.writer).err)
			},
		},
		{
			name:  "sent to the bot",
			when:  "a person sent it to the bot, regardless of who wrote it",
			then:  "is data for the agents, at the word of a full member; its words permit nothing",
			fires: isKind(workflow.MessageSent),
			judge: withAdditions(func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeSent(ctx, c)
			}),
		},
		{
			name:  "writer who is not heard",
			when:  "its writer is another bot, from another workspace, or deactivated",
			then:  "refuses it",
			fires: func(c *Case) bool { return c.person().ExclusionReason() != "" },
			judge: turnStrangerAway,
		},
		{
			name:  "press",
			when:  "a button was pressed",
			then:  "the rules for presses",
			fires: isKind(workflow.MessageAction),
			judge: withAdditions(func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeBy(ctx, pressRules(), c)
			}),
		},
		{
			name: "form",
			when: "a form was sent",
			then: `"with limits": approves the revision of its button, limited; "Correct…": ` +
				`is a correction, and may ` +
				"stop; a repository: changes that",
			fires: isKind(workflow.MessageForm),
			judge: withAdditions(func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeForm(ctx, c)
			}),
		},
		{
			name:  "words",
			when:  "anything else",
			then:  "the rules for words",
			fires: func(*Case) bool { return true },
			judge: withAdditions(func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeBy(ctx, wordRules(), c)
			}),
		},
	}
}

func ignore(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
	return j.Ignore(c.Message), nil
}

// turnStrangerAway refuses a message of a person whom the bot does not listen to.
func turnStrangerAway(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
	return j.turnAway(c.Message, c.person(), c.person().ExclusionReason()), nil
}
