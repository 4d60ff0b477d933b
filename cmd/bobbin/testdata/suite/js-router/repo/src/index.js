export { Router } from './router.js'
