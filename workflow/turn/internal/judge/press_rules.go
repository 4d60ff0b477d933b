package judge

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
)

// A pressedButton is the row of a button that was pressed: what it stands for. People see an opaque id only.
type pressedButton struct {
	shown    bool // in the message in which it was pressed
	revision int
	means    string
}

func (j *Judge) readButton(ctx context.Context, m intent.Message) (b pressedButton, err error) {
	if b.revision, b.means, b.shown, err = j.Button(ctx, m.ActionID, m.Value); err != nil || !b.shown {
		return b, err
	}
	b.shown, err = j.IsInMessage(ctx, m.Value, m.TS)
	return b, err
}

// pressed reports whether one of the buttons was pressed.
func (c *Case) pressed(buttons ...workflow.ActionID) bool {
	return slices.Contains(buttons, c.Message.ActionID)
}

// press returns the rule for the press of one of the buttons.
func press(
	name, then string, judge func(
		context.Context, *Judge, *Case, pressedButton,
	) ([]store.Part, error), buttons ...workflow.ActionID,
) rule {
	return rule{
		name:  name,
		when:  "the button is pressed",
		then:  then,
		fires: func(c *Case) bool { return c.pressed(buttons...) },
		judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
			return judge(ctx, j, c, get(c, &c.button))
		},
	}
}

// pressRules returns the rules for a press of a button.
func pressRules() []rule {
	return slices.Concat(stopPressRules(), releasePressRules(), decisionPressRules(), questionPressRules())
}

// stopPressRules are the rules for a Stop button, and for presses that nobody can have made in the thread.
func stopPressRules() []rule {
	return []rule{
		{
			name:  "Stop, too late",
			when:  "the run that the button is of is over",
			then:  "says so; stops nothing",
			fires: func(c *Case) bool { return c.pressed(workflow.ButtonStop) && get(c, &c.runEnded) },
			judge: answerEndedRun,
		},
		{
			name:  "Stop",
			when:  "the button is pressed",
			then:  "stops the session at once; anybody who may take part can press it",
			fires: func(c *Case) bool { return c.pressed(workflow.ButtonStop) },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.stopSession(ctx, c.Message, c.person())
			},
		},
		{
			name:  "unknown button",
			when:  "no button with that id was shown in that message",
			then:  "nothing",
			fires: func(c *Case) bool { return !get(c, &c.button).shown },
			judge: ignoreUnknownButton,
		},
	}
}

// releasePressRules are the rules for what may release held words, stopped work or removed code, and for what
// is held back like words.
func releasePressRules() []rule {
	held := []workflow.ActionID{
		workflow.ButtonOption, workflow.ButtonWrapUp, workflow.ButtonTakeDefaults, workflow.ButtonConsult,
		workflow.ButtonDiagnose,
		workflow.ButtonRepository, workflow.ButtonBase, workflow.ButtonOnBase, workflow.ButtonChoose,
		workflow.ButtonPart,
		workflow.ButtonLessons, workflow.ButtonJoin, workflow.ButtonBroken,
	}
	return []rule{
		press("Pass it on",
			"gives that held message to the agents as the person's own words, if the person may approve",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				row, err := strconv.ParseInt(b.means, 10, 64)
				if err != nil {
					return nil, fmt.Errorf("a button that passes %q on: %w", b.means, err)
				}
				return j.Held.PassOn(ctx, c.Message, c.person(), row)
			}, workflow.ButtonPassOn),
		press("Go on", "lets the approved work go on after that stop, if the person may approve",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Held.Resume(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonGoOn),
		press("Put it back", "is judged like an approval, of exactly the lines that were taken out",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.PutBack(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonPutBack),
		{
			name: "held",
			when: "a button that answers or asks something is pressed (an option, Wrap up, Take these, " +
				"Second opinion, Diagnosis Report, a repository or branch, Propose for AGENTS.md, Join, " +
				"Still broken), by a person who may not approve, and work is approved or stopped",
			then:  "refuses it; the button stays for people who may approve",
			fires: func(c *Case) bool { return c.pressed(held...) && !c.maySpeak() },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				about := get(c, &c.held)
				return j.Held.RefusePress(ctx, c.Message, c.person(), workflow.DecideSpeak, about), nil
			},
		},
	}
}

// decisionPressRules are the rules for buttons whose press may permit something.
func decisionPressRules() []rule {
	return []rule{
		press("Backport", "is judged like an approval, of that backport alone",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.Backport(ctx, c.Message, c.person(), approval.BackportOf(b.means))
			}, workflow.ButtonBackport),
		press("File it", "is judged like an approval, of the issue that the button is for",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.File(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonFile),
		press("Post it", "is judged like an approval, of the review that the button is for",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.PostReview(ctx, c.Message, c.person(), b.means, "")
			}, workflow.ButtonPostReview),
		press("Go on there", "is judged like an approval, of the move with exactly the words that were shown",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.Move(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonMove),
		press("Fix it there", "is judged like an approval, of the files of the pushed change alone",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.FixChecks(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonFixThere),
		press("Merge main", "is judged like an approval, of the merge of the base's newest commit alone",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.MergeBase(ctx, c.Message, c.person(), approval.BaseMerge{Commit: b.means})
			}, workflow.ButtonMergeBase),
		press("Fix it, Go ahead", "approves the revision that the button was shown with, and no other",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.Approve(ctx, c.Message, c.person(), b.revision, b.means)
			}, workflow.ButtonFix),
		press("Fix it, of a stopped report", "approves that revision, if nobody stopped it again since",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.TakeUp(ctx, c.Message, c.person(), b.revision, b.means)
			}, workflow.ButtonTakeUp),
		press("Push it", "is judged like an approval, of exactly the files that the question is about",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.AllowPush(ctx, c.Message, c.person(),
					approval.PushAnswer{Question: b.means})
			}, workflow.ButtonPush),
		press("Prove it by CI", "is judged like a push of these files, whose proof is left to CI",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.AllowPush(ctx, c.Message, c.person(),
					approval.PushAnswer{Question: b.means, ByCI: true})
			}, workflow.ButtonProveByCI),
		press("Push it so", "is judged like an approval, of the words that were shown",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.Disclose(ctx, c.Message, c.person(), b.means, workflow.DisclosureShown)
			}, workflow.ButtonPushShown),
		press("Push without the thread's words", "is judged like an approval, of a push without these words",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.Disclose(ctx, c.Message, c.person(), b.means, workflow.DisclosureNeutral)
			}, workflow.ButtonPushNeutral),
		press("Yes, that is it", "is judged like an approval of that understanding",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Approvals.ConfirmUnderstanding(ctx, c.Message, c.person(), b.revision)
			}, workflow.ButtonConfirm),
		press("a repository",
			"changes the repository, if the person asked or may approve, and nothing is approved",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.chooseRepository(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonChoose),
		press("Report on a repository, too",
			"begins the part of that repository, if a full member presses; permits nothing",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.beginPart(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonPart),
		press("Look into, of a release; Make it for, of a merged pull request",
			"begins again on that branch or tag, if the person asked or may approve, and nothing is "+
				"approved but work for a pull request that was merged or closed",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.chooseBase(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonOnBase),
	}
}

// questionPressRules are the rules for buttons that answer, ask or show something. None permits anything.
func questionPressRules() []rule {
	return []rule{
		press("Works, Still broken", "thanks, or gives it to the agents",
			func(_ context.Context, j *Judge, c *Case, _ pressedButton) ([]store.Part, error) {
				return afterPush{j}.judgeOutcome(c.Message, c.person()), nil
			}, workflow.ButtonWorks, workflow.ButtonBroken),
		press("Correct…, with limits…, Change repository…, Change branch…, Stop…, Details",
			"opens a form, if the person may use it; what is sent with it is judged then",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.offerForm(ctx, c.Message, c.person(), b)
			}, workflow.ButtonCorrect, workflow.ButtonFixLimited, workflow.ButtonRepository,
			workflow.ButtonBase, workflow.ButtonDetails, workflow.ButtonAskStop),
		press("Show the diff", "the program shows it, without an agent",
			func(_ context.Context, j *Judge, c *Case, _ pressedButton) ([]store.Part, error) {
				return inquiries{j.Judgements}.showDiff(c.Message), nil
			}, workflow.ButtonShowDiff),
		press("Explain", "asks an agent that only reads, and says so",
			func(_ context.Context, j *Judge, c *Case, _ pressedButton) ([]store.Part, error) {
				return j.explainPressed(c.Message), nil
			}, workflow.ButtonExplain),
		press("Stop, of another thread", "counts there like a press of its Stop button",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return otherThreads{j}.passStop(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonStopThread),
		press("Not the same problem",
			"begins a session in the thread of that alert, once, as if the person had sent it to the bot",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.splitAlert(ctx, c.Message, c.person(), b.means)
			}, workflow.ButtonNotSame),
		press("Join", "stops this session, and points to the other thread",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Duplicates.Join(ctx, c.Message.Message, c.person(), b.means)
			}, workflow.ButtonJoin),
		press("an option, Wrap up, Take these", "answers the question that waits, and no other",
			func(ctx context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return j.Interview.judgeOption(ctx, c.Message, c.person(), c.waiting(), b.means)
			}, workflow.ButtonOption, workflow.ButtonWrapUp, workflow.ButtonTakeDefaults),
		press("Diagnosis Report", "asks for one, as /diagnose does",
			func(_ context.Context, j *Judge, c *Case, _ pressedButton) ([]store.Part, error) {
				m := c.Message
				m.Says.Command = workflow.CommandDiagnose
				return j.judgeCommand(m, c.person()), nil
			}, workflow.ButtonDiagnose),
		press("Second opinion", "asks the consultant, who only reads",
			func(_ context.Context, j *Judge, c *Case, _ pressedButton) ([]store.Part, error) {
				return inquiries{j.Judgements}.askConsultant(c.Message, c.person(), ""), nil
			}, workflow.ButtonConsult),
		press("Propose for AGENTS.md", "asks the agents for a request, which waits for its approval",
			func(_ context.Context, j *Judge, c *Case, b pressedButton) ([]store.Part, error) {
				return lessonBook{j.Judgements, j.Catalog, j.Permissions}.propose(c.Message,
					c.person(), b.means), nil
			}, workflow.ButtonLessons),
		{
			name:  "any other button",
			when:  "anything else",
			then:  "nothing",
			fires: func(*Case) bool { return true },
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Ignore(c.Message), nil
			},
		},
	}
}

// answerEndedRun answers a press of the Stop button of a run that is over. It may have come while the run
// went on, and then it asked for a stop.
func answerEndedRun(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
	f := j.Answer(c.Message, c.person().Name+": that run is over already, so nothing was stopped.")
	return append(f, store.Update{ClearStop: true}), nil
}

// ignoreUnknownButton logs a press of what was never shown.
func ignoreUnknownButton(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
	m := c.Message
	j.Log.Warn("a button that was never shown in that message", "user", m.User, "action", m.ActionID)
	return j.Ignore(m), nil
}

// explainPressed asks the explainer what the button asks for.
func (j *Judge) explainPressed(m intent.Message) []store.Part {
	m.Text = "Why is the change as it is?"
	return inquiries{j.Judgements}.explain(m)
}
