export const steps = ['welcome', 'account', 'boat', 'home-port', 'notifications', 'payment', 'done'] as const
