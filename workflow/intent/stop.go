package intent

// stopping lists the words that stop work; each has to be the whole message.
var stopping = []string{
	"stop", "stop it", "stop this", "stop that", "stop now", "stop work", "stop working", "abort", "abort it", "abort this",
	"cancel", "cancel it", "cancel this", "cancel that",
}
