// Tests of TaskAPI.
