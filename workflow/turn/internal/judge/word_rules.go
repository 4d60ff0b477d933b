package judge

import (
	"context"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
)

// wordRules returns the rules for a message that a person typed.
func wordRules() []rule {
	return slices.Concat(
		refusalRules(), orderRules(), outwardRules(), goOnRules(), interviewMoveRules(), answerRules(),
		limitRules(), consentRules(), questionRules(),
	)
}

// refusalRules are the rules for what stops or refuses, and for what takes a refusal back.
func refusalRules() []rule {
	return []rule{
		{
			name: "stop, where nothing ran",
			when: "it says to stop, and no agent was given anything in this thread",
			then: "names the threads at work in the channel, each with a button that stops it; " +
				"stops nothing here",
			fires: func(c *Case) bool { return c.saysStop() && get(c, &c.nothingRan) },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return otherThreads{j}.nameThreads(ctx, c.Message, c.person())
			},
		},
		{
			name: "stop",
			when: "it says to stop; while approved work is under way, also that an issue is to be made of " +
				"it instead, or one clause that says to wait, or not to fix " +
				"or push, unless the message answers a question for which everything rests",
			then:  "stops the session at once; anybody who may take part can say it",
			fires: (*Case).saysStop,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.stopSession(ctx, c.Message, c.person())
			},
		},
		{
			name: "help",
			when: "it is empty, only asks what the bot can do or does, or begins a thread with nothing " +
				"but a greeting to the bot",
			then:  "the program answers, without an agent: to its writer alone, unless it begins the thread",
			fires: (*Case).asksForHelp,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.giveHelp(ctx, c)
			},
		},
		{
			name:  "guest",
			when:  "a guest begins a thread with it",
			then:  "refuses it: guests cannot start work",
			fires: func(c *Case) bool { return c.person().Guest && c.begins() },
			judge: turnGuestAway,
		},
		{
			name: "objection taken back, unclear",
			when: "its writer has objected to the approved work, and it may take that back, " +
				"or may answer others who " +
				"talk above it",
			then: "asks; the objection stands",
			fires: func(c *Case) bool {
				return c.withdraws() && !c.says().NamesObjection && get(c, &c.talkBelow)
			},
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Objections.AskWithdrawal(ctx, c.Message, c.person()), nil
			},
		},
		{
			name:  "objection taken back",
			when:  "its writer has objected to the approved work, and it takes that back or agrees",
			then:  "ends the writer's own objections; permits nothing",
			fires: (*Case).withdraws,
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Objections.Withdraw(c.Message, c.person(), get(c, &c.objections)), nil
			},
		},
		{
			name: "refusal after the push",
			when: "it refuses something, the change is pushed, and nothing runs",
			then: "says what was pushed and what can still be done; " +
				"gives it to the agents if it says more than no",
			fires: (*Case).refusesPushed,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Objections.AfterPush(ctx, c.Message, c.person(), get(c, &c.pushed))
			},
		},
	}
}

// orderRules are the rules for what is an order in any phase.
func orderRules() []rule {
	return []rule{
		{
			name: "pass it on",
			when: `it is "pass it on", or a form of that, and nothing else`,
			then: "gives the held messages above it to the agents as the writer's own words, " +
				"if the writer may approve",
			fires: func(c *Case) bool { return c.says().PassesOn },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Held.PassOn(ctx, c.Message, c.person(), 0)
			},
		},
		{
			name:  "lesson",
			when:  "it lists, adds, corrects or forgets lessons of the repository, and nothing else",
			then:  "answers it; only a person who may approve changes lessons",
			fires: func(c *Case) bool { return c.says().Lesson != nil },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return lessonBook{j.Judgements, j.Catalog, j.Permissions}.judge(ctx, c.Message, c.person())
			},
		},
		unlessHeld(rule{
			name: "test command",
			when: "it says with which command the repository is tested, and nothing else, its writer may " +
				"approve, and no question waits",
			then:  "tries the command on the base, and uses it from then on; tells the agents",
			fires: (*Case).saysHowToTest,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.takeTestCommand(ctx, c)
			},
		}),
		unlessHeld(rule{
			name:  "repository",
			when:  "it names another repository, and nothing else, and one is chosen",
			then:  "begins again in that one, if its writer asked or may approve, and nothing is approved",
			fires: func(c *Case) bool { return c.says().Repository != "" && c.Session.Repository != "" },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.chooseRepository(ctx, c.Message, c.person(), j.Catalog.NameOf(c.says().Repository))
			},
		}),
		unlessHeld(rule{
			name: "branch",
			when: "it names the branch or tag that the work starts from, and nothing else, and a " +
				"repository is chosen",
			then: "begins again on that one, if its writer asked or may approve, and nothing is approved " +
				"but work for a pull request that was merged or closed",
			fires: func(c *Case) bool { return c.says().Branch != "" && c.Session.Repository != "" },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.chooseNamedBase(ctx, c.Message, c.person())
			},
		}),
	}
}

// outwardRules are the rules for words that bring what was pushed or found elsewhere, and for an approval by
// a person whose words are held back.
func outwardRules() []rule {
	return []rule{
		unlessHeld(rule{
			name: "another repository, too",
			when: "it asks for the fix in another repository, and the thread has no part for that",
			then: "begins that part, if a full member says so: a report, which waits for an approval of " +
				"its own; permits nothing",
			fires: (*Case).asksForPart,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.beginPart(ctx, c.Message, c.person(), c.to.begins)
			},
		}),
		{
			name:  "backport",
			when:  "it asks to bring the pushed change to releases, and nothing else",
			then:  "is judged like an approval, of that backport alone",
			fires: func(c *Case) bool { return c.says().Backport },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.Backport(ctx, c.Message, c.person(), approval.Backport{
					Releases: c.says().Releases,
				})
			},
		},
		{
			name: "push to a colleague's branch",
			when: "it asks to push the pushed change to somebody else's branch, and nothing else, and the " +
				"session is about a pull request",
			then: "is judged like an approval, of that push alone",
			fires: func(c *Case) bool {
				return c.says().Lands && (c.Session.Pull != 0 || c.says().LandsOnBranch())
			},
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.Land(ctx, c.Message, c.person(), c.says().LandsOn)
			},
		},
		{
			name: "file an issue",
			when: `it asks to file an issue ("file it"), and nothing else but that the work is put off`,
			then: "is judged like an approval, of the issue alone; from a private conversation, or before " +
				"any report, shows the text and where it would go first",
			fires: func(c *Case) bool { return c.says().Files },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.File(ctx, c.Message, c.person(), "")
			},
		},
		{
			name: "move",
			when: `it says to go on in another channel ("continue in #payments"), and nothing else`,
			then: "moves the session to a new thread there, if its writer is a full member in both " +
				"channels whose words are not held, and threads there may be about the repositories; " +
				"from a private conversation, shows the text first, which a person who may approve " +
				"has to confirm",
			fires: func(c *Case) bool { return c.says().MovesTo != "" },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				if get(c, &c.nothingRan) {
					return j.Approvals.NothingToMove(c.Message, c.person()), nil
				}
				return j.Approvals.Move(ctx, c.Message, c.person(), "")
			},
		},
		{
			name: "post a review",
			when: "it asks to post the review on its pull request, and nothing else, and there is one",
			then: "is judged like an approval, of that review alone",
			fires: func(c *Case) bool {
				return c.says().PostsReview && c.Session.ReportKind == workflow.ReportReview
			},
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.PostReview(ctx, c.Message, c.person(), "", c.says().PostsOn)
			},
		},
		{
			name: "merge of the base",
			when: "it asks to merge the base branch into the pushed one, or to resolve the conflicts of " +
				"both, and nothing else",
			then:  "is judged like an approval, of the merge of the base's newest commit alone",
			fires: func(c *Case) bool { return c.says().MergesBase && get(c, &c.mergesBase) },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.MergeBase(ctx, c.Message, c.person(), approval.BaseMerge{
					Named: c.says().BaseToMerge,
				})
			},
		},
		{
			name: "limited approval, held",
			when: "it is an approval with a limit, by a person who may not approve, " +
				"while work is approved or stopped",
			then: "holds it, and offers it to people who may approve",
			fires: func(c *Case) bool {
				return c.says().Consent.Kind == intent.ConsentScoped && !c.maySpeak()
			},
			judge: holdWords,
		},
	}
}

// allUnlessHeld returns the rules so that none of them fires while the words of the writer are held back.
func allUnlessHeld(rules []rule) []rule {
	for i, r := range rules {
		rules[i] = unlessHeld(r)
	}
	return rules
}

// unlessHeld returns the rule so that it does not fire while the words of the writer are held back.
func unlessHeld(r rule) rule {
	fires := r.fires
	r.fires = func(c *Case) bool { return c.maySpeak() && fires(c) }
	return r
}

// goOnRules are the rules for what lets stopped work go on. The words of a person who may not approve do not.
func goOnRules() []rule {
	return allUnlessHeld([]rule{
		{
			name: "go on",
			when: "it says that stopped work goes on, its writer may approve, " +
				"and nobody talks to others above it",
			then: "lets the approved work go on",
			fires: func(c *Case) bool {
				return c.says().GoesOn && c.afterStop() && !get(c, &c.talkBelow)
			},
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Held.Resume(ctx, c.Message, c.person(), c.Session.Halted)
			},
		},
		{
			name:  "go on, unclear",
			when:  "it says that stopped work goes on, and its writer may approve, but it may answer others",
			then:  "asks with a button",
			fires: func(c *Case) bool { return c.says().GoesOn && c.afterStop() },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Held.GoOn(ctx, c.Message, c.person(), false), nil
			},
		},
		{
			name: "going on, mentioned",
			when: "it mentions going on while approved work is stopped, and its writer may approve",
			then: "asks with a button, and gives it to the agents, " +
				"who change nothing before the work goes on",
			fires: func(c *Case) bool { return c.says().MentionsGoingOn && c.afterStop() },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Held.GoOn(ctx, c.Message, c.person(), true), nil
			},
		},
		{
			name: "go on with questions",
			when: `it is "go on", and a stop ended nothing but questions to agents that only read`,
			then: "asks these again; wakes no other agent",
			fires: func(c *Case) bool {
				stopped := c.Session.Phase == workflow.PhaseStopped && c.says().SaysGoOn
				return stopped && get(c, &c.approved) == nil && len(get(c, &c.stoppedAsks)) > 0
			},
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return inquiries{j.Judgements}.askAgain(c.Message, get(c, &c.stoppedAsks)), nil
			},
		},
	})
}

// interviewMoveRules are the rules for going back in an interview, and for skipping a question of it. Words
// that are held move nothing.
func interviewMoveRules() []rule {
	return allUnlessHeld([]rule{
		{
			name:  "back in an interview",
			when:  `it is "back", or a form of that, in an interview`,
			then:  "puts the question before again, or the one that it names; its answer can be changed",
			fires: func(c *Case) bool { return c.aligning() && c.says().Move == intent.MoveBack },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.goBack(ctx, c.Message, c.person(), c.waiting())
			},
		},
		{
			name: "skip",
			when: `it is "next", "skip", "leave it open", or a form of these, and a question waits`,
			then: "takes what is recommended, or leaves the question open, and says which",
			fires: func(c *Case) bool {
				moves := c.says().Move == intent.MoveSkip || c.says().Move == intent.MoveOpen
				return moves && c.questionWaits() && !c.namesOption()
			},
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.skip(ctx, c.Message, c.person(), c.waiting())
			},
		},
	})
}

// answerRules are the rules for what answers a question or the interview. Words that are held answer nothing.
func answerRules() []rule {
	return allUnlessHeld([]rule{
		{
			name:  "more questions",
			when:  "it asks to go on with an interview",
			then:  "raises the number of questions",
			fires: func(c *Case) bool { return c.aligning() && c.says().WantsMore },
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.askMore(c.Message), nil
			},
		},
		{
			name:  "wrap up",
			when:  "it ends an interview",
			then:  "shows the recommended answers, with a button that takes them",
			fires: func(c *Case) bool { return c.aligning() && c.says().WrapsUp },
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.offerDefaults(c.Message, c.person(), c.waiting()), nil
			},
		},
		{
			name:  "take these",
			when:  "it takes the recommended answers that were shown above it",
			then:  "takes them, unless its writer is a guest",
			fires: func(c *Case) bool { return get(c, &c.takesOffer) },
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.takeDefaults(c.Message, c.person(), c.waiting()), nil
			},
		},
		{
			name: "question back",
			when: "a question waits for its answer, and it only asks something itself",
			then: "gives it to the agents; the question goes on waiting",
			fires: func(c *Case) bool {
				return c.says().OnlyAsks && c.questionWaits() && !c.namesOption()
			},
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.asksBack(c.Message, c.person(), c.waiting()), nil
			},
		},
		{
			name:  "answer to another question",
			when:  `it names a question of the interview by its number, and its answer ("1: b")`,
			then:  "changes that answer, and says so; asks which question is meant if there is none",
			fires: (*Case).answersNumbered,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.answerEarlier(ctx, c.Message, c.person(), c.waiting())
			},
		},
		{
			name: "no such option",
			when: "a question waits for its answer, and it is the number of an option that there is not",
			then: "asks which one is meant; the question goes on waiting",
			fires: func(c *Case) bool {
				if !c.questionWaits() || c.namesOption() {
					return false
				}
				_, outside := c.says().OutOfRange(c.waiting().Options)
				return outside
			},
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.askWhichOption(c.Message, c.person(), c.waiting()), nil
			},
		},
		{
			name:  "answer",
			when:  "a question waits for its answer, and it is no command",
			then:  "takes it as the answer, if it was written below the question",
			fires: (*Case).answers,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Interview.takeAnswer(ctx, c.Message, c.person(), c.waiting())
			},
		},
		{
			name:  "understanding confirmed",
			when:  "it confirms the shared understanding of an interview, and nothing else",
			then:  "is judged like an approval of that understanding",
			fires: (*Case).confirms,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.ConfirmUnderstanding(ctx, c.Message, c.person(), c.Session.Revision)
			},
		},
	})
}

// limitRules are the rules for what allows a push, or more of a limit.
func limitRules() []rule {
	return []rule{
		{
			name: "words of a private thread",
			when: `it is "push it so", "push it without the thread's words", or a form of "push it", and ` +
				`the thread was asked which`,
			then: "is judged like an approval, of the words that were shown, or of a push without them",
			fires: func(c *Case) bool {
				says := c.says().Push.Allows || c.says().Discloses != workflow.DisclosureOpen
				return says && get(c, &c.discloses)
			},
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.Disclose(ctx, c.Message, c.person(), "", c.says().Discloses)
			},
		},
		{
			name: "push",
			when: `it is "push it", "prove it by CI", or a form of these, and the thread was asked; ` +
				`or "push all the same" of approved work`,
			then: "is judged like an approval, of exactly the files that the question is about",
			fires: func(c *Case) bool {
				return c.says().Push.Allows && get(c, &c.asksForPush)
			},
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.AllowPush(ctx, c.Message, c.person(),
					approval.PushAnswer{ByCI: c.says().Push.ByCI})
			},
		},
		{
			name: "limit reached",
			when: `it is "go on", below the line that says which limit was reached`,
			then: "allows as much again, if the writer may approve",
			fires: func(c *Case) bool {
				return c.says().SaysGoOn && len(get(c, &c.limit).over) > 0
			},
			judge: goOnPastLimit,
		},
		unlessHeld(rule{
			name: "limit no longer reached",
			when: `it is "go on", and the limit at which the session rests is no longer reached`,
			then: "lets the session go on, unless the writer's words are held",
			fires: func(c *Case) bool {
				return c.says().SaysGoOn && get(c, &c.limit).meant
			},
			judge: goOnPastLimit,
		}),
	}
}

// consentRules are the rules for what approves what waits, or limits what is approved.
func consentRules() []rule {
	return []rule{
		{
			name:  "limit to approved work",
			when:  "it limits approved work, its writer may approve, and it answers nobody else",
			then:  "narrows the approval; after the push, says that it comes too late",
			fires: func(c *Case) bool { return c.says().Limit != "" && get(c, &c.narrows) != nil },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Approvals.Narrow(ctx, c.Message, c.person(), get(c, &c.narrows)), nil
			},
		},
		{
			name: "consent, unclear",
			when: "it sounds like an approval of what waits, or is one that may answer others who talk " +
				"above it, and its " +
				"writer may approve",
			then:  "asks with a button, which keeps the limit that it names; approves nothing",
			fires: (*Case).asksConsent,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.askConsent(ctx, c)
			},
		},
		{
			name: "approval",
			when: "it is an approval, with a limit or without, and nothing else",
			then: "approves the newest revision, if the writer may approve, the revision waits, " +
				"and it was shown above; " +
				"from a person who may not, it is a request to those who may",
			fires: func(c *Case) bool { return get(c, &c.consent).Consents() },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.approve(ctx, c)
			},
		},
		unlessHeld(rule{
			name:  "adoption",
			when:  `it is "yes please do this", or a form of that, below requests of other people`,
			then:  "makes them its writer's own, if the writer may approve",
			fires: (*Case).adopts,
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.Held.Adopt(ctx, c.Message, c.person(), get(c, &c.requestAbove)), nil
			},
		}),
	}
}

// questionRules are the rules for what starts a workflow or asks something, and for all that is left.
func questionRules() []rule {
	return []rule{
		unlessHeld(rule{
			name:  "command",
			when:  "it begins with a command, or ends with a question to the consultant",
			then:  "starts the workflow, or asks the consultant; permits nothing",
			fires: func(c *Case) bool { return c.says().Command != workflow.CommandNone },
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.judgeCommand(c.Message, c.person()), nil
			},
		}),
		{
			name:  "show the diff",
			when:  `it is "show the diff", or a form of that, and there is a change`,
			then:  "the program shows it, without an agent",
			fires: func(c *Case) bool { return c.Session.Branch != "" && c.says().ShowsDiff },
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return inquiries{j.Judgements}.showDiff(c.Message), nil
			},
		},
		{
			name:  "question about the change",
			when:  "it only asks about the change, and there is one",
			then:  "asks an agent that only reads",
			fires: func(c *Case) bool { return c.Session.Branch != "" && c.says().AsksAboutDiff },
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return inquiries{j.Judgements}.explain(c.Message), nil
			},
		},
		{
			name:  "review",
			when:  "it only asks for a review of the change, and there is one",
			then:  "asks an agent that only reads",
			fires: func(c *Case) bool { return c.Session.Branch != "" && c.says().AsksForReview },
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return inquiries{j.Judgements}.review(c.Message), nil
			},
		},
		{
			name:  "who knows the code",
			when:  "it only asks who knows the code, and names a file or is about a report or a change",
			then:  "the program answers, without an agent",
			fires: (*Case).asksOwners,
			judge: func(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return inquiries{j.Judgements}.owners(c.Message), nil
			},
		},
		{
			name:  "held",
			when:  "its writer may not approve, and work is approved or stopped",
			then:  "holds it, and offers it to people who may approve; no agent reads it",
			fires: func(c *Case) bool { return !c.maySpeak() },
			judge: holdWords,
		},
		{
			name:  "words for the agents",
			when:  "anything else",
			then:  "gives it to the agents; permits nothing",
			fires: func(*Case) bool { return true },
			judge: func(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
				return j.giveToWork(ctx, c.Message)
			},
		},
	}
}

// turnGuestAway refuses a message with which a guest begins a thread.
func turnGuestAway(_ context.Context, j *Judge, c *Case) ([]store.Part, error) {
	return j.turnAway(c.Message, c.person(), "guests cannot start work here; ask a full member to"), nil
}

// holdWords holds the message back until a person who may approve passes it on.
func holdWords(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
	return j.Held.HoldWords(ctx, c.Message, c.person(), get(c, &c.held))
}

// goOnPastLimit allows more, or lets the session go on.
func goOnPastLimit(ctx context.Context, j *Judge, c *Case) ([]store.Part, error) {
	return j.judgeGoOn(ctx, c), nil
}
