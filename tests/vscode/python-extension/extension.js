const vscode = require("vscode");

const interpreter = process.env.GPUADVISOR_TEST_PYTHON;

exports.activate = () => ({
  environments: {
    getActiveEnvironmentPath: () => ({ id: interpreter, path: interpreter }),
    resolveEnvironment: async () => ({ executable: { uri: vscode.Uri.file(interpreter) } }),
    onDidChangeActiveEnvironmentPath: new vscode.EventEmitter().event,
  },
});
