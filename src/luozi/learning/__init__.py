"""Learning by self-play: `luozi learn GAME`.

From lowest to highest: settings, learner (what a game brings); files, folder (what is kept); selfplay, training_thread,
ladder, generations (the loop); curve (what is shown of it), starting (what a command means).
"""
