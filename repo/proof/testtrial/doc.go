// Package testtrial finds tests of a proven change that show nothing.
//
// A test shows something if it runs the code and has the same answer each time. Trial.Run looks for three
// kinds of tests that do not:
//
//   - A test that reads the fix instead of running it. It is found by its text, if it opens a file of the
//     fix or a new file that nothing else uses, and by two trees in which the fix is text without effect:
//     the base with the branch's sources in comments, where it must fail as it does on the base, and the
//     branch with the base's sources in comments, where it must pass.
//   - A test that passes and fails by itself. These two runs and a third one, of the branch as it is, are
//     also its repetitions, in another order where the runner allows it.
//   - A test that fails when it runs without the other tests.
//
// It also looks for lines of the change, outside of tests, that ask whether a test runs: what they do otherwise is shown
// by no test.
//
// A run that was stopped, did not start or has no time left says nothing for or against a test. What a test
// asserts is not judged here; the critic is asked that.
package testtrial
