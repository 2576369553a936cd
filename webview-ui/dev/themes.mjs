// The variables that VS Code hands to a panel, for its three default themes: enough of them to look at the panel.
const shared = {
  'font-family': "'Segoe UI', 'Ubuntu', 'Liberation Sans', sans-serif",
  'font-size': '13px',
  'font-weight': 'normal',
  'editor-font-family': "'Cascadia Code', 'DejaVu Sans Mono', monospace",
  'editor-font-size': '13px',
};

export const themes = {
  dark: {
    bodyClass: 'vscode-dark',
    variables: {
      ...shared,
      foreground: '#cccccc', descriptionForeground: '#9d9d9d', disabledForeground: '#cccccc80', errorForeground: '#f85149', focusBorder: '#0078d4', 'icon-foreground': '#cccccc',
      'sideBar-background': '#181818', 'sideBar-foreground': '#cccccc', 'sideBarSectionHeader-border': '#2b2b2b', 'widget-border': '#313131', 'widget-shadow': '#0000005c',
      'editor-background': '#1f1f1f', 'editor-foreground': '#cccccc', 'editorWidget-background': '#202020', 'editorHoverWidget-background': '#202020', 'editorLineNumber-foreground': '#6e7681', 'editorWarning-foreground': '#cca700',
      'toolbar-hoverBackground': '#5a5d5e50', 'scrollbarSlider-background': '#79797966', 'scrollbarSlider-hoverBackground': '#646464b3',
      'button-background': '#0078d4', 'button-foreground': '#ffffff', 'button-hoverBackground': '#026ec1', 'button-border': '#ffffff12', 'button-secondaryBackground': '#313131', 'button-secondaryForeground': '#cccccc', 'button-secondaryHoverBackground': '#3c3c3c',
      'input-background': '#313131', 'input-foreground': '#cccccc', 'input-border': '#3c3c3c', 'input-placeholderForeground': '#989898', 'dropdown-background': '#313131', 'dropdown-foreground': '#cccccc',
      'textLink-foreground': '#4daafc', 'textLink-activeForeground': '#4daafc', 'textCodeBlock-background': '#2b2b2b', 'textPreformat-foreground': '#d0d0d0', 'textPreformat-background': '#3c3c3c', 'textBlockQuote-border': '#616161',
      'list-hoverBackground': '#2a2d2e', 'list-inactiveSelectionBackground': '#37373d', 'progressBar-background': '#0078d4', 'chat-requestBubbleBackground': '#264f784d',
      'diffEditor-insertedLineBackground': '#9bb95533', 'diffEditor-removedLineBackground': '#ff000033', 'gitDecoration-addedResourceForeground': '#81b88b', 'gitDecoration-deletedResourceForeground': '#c74e39',
      'symbolIcon-keywordForeground': '#cccccc', 'symbolIcon-fieldForeground': '#75beff', 'symbolIcon-classForeground': '#ee9d28', 'debugTokenExpression-name': '#c586c0', 'debugTokenExpression-string': '#ce9178', 'debugTokenExpression-number': '#b5cea8', 'charts-green': '#89d185', 'charts-red': '#f14c4c', 'charts-orange': '#d18616',
    },
  },
  light: {
    bodyClass: 'vscode-light',
    variables: {
      ...shared,
      foreground: '#3b3b3b', descriptionForeground: '#3b3b3b', disabledForeground: '#61616180', errorForeground: '#f85149', focusBorder: '#005fb8', 'icon-foreground': '#3b3b3b',
      'sideBar-background': '#f8f8f8', 'sideBar-foreground': '#3b3b3b', 'sideBarSectionHeader-border': '#e5e5e5', 'widget-border': '#e5e5e5', 'widget-shadow': '#00000029',
      'editor-background': '#ffffff', 'editor-foreground': '#3b3b3b', 'editorWidget-background': '#f8f8f8', 'editorHoverWidget-background': '#f8f8f8', 'editorLineNumber-foreground': '#6e7681', 'editorWarning-foreground': '#bf8803',
      'toolbar-hoverBackground': '#b8b8b850', 'scrollbarSlider-background': '#64646466', 'scrollbarSlider-hoverBackground': '#646464b3',
      'button-background': '#005fb8', 'button-foreground': '#ffffff', 'button-hoverBackground': '#0258a8', 'button-border': '#0000001a', 'button-secondaryBackground': '#e5e5e5', 'button-secondaryForeground': '#3b3b3b', 'button-secondaryHoverBackground': '#cccccc',
      'input-background': '#ffffff', 'input-foreground': '#3b3b3b', 'input-border': '#cecece', 'input-placeholderForeground': '#767676', 'dropdown-background': '#ffffff', 'dropdown-foreground': '#3b3b3b',
      'textLink-foreground': '#005fb8', 'textLink-activeForeground': '#005fb8', 'textCodeBlock-background': '#ededed', 'textPreformat-foreground': '#3b3b3b', 'textPreformat-background': '#0000001f', 'textBlockQuote-border': '#e5e5e5',
      'list-hoverBackground': '#f2f2f2', 'list-inactiveSelectionBackground': '#e4e6f1', 'progressBar-background': '#005fb8', 'chat-requestBubbleBackground': '#add6ff4d',
      'diffEditor-insertedLineBackground': '#9bb95533', 'diffEditor-removedLineBackground': '#ff000033', 'gitDecoration-addedResourceForeground': '#587c0c', 'gitDecoration-deletedResourceForeground': '#ad0707',
      'symbolIcon-keywordForeground': '#3b3b3b', 'symbolIcon-fieldForeground': '#007acc', 'symbolIcon-classForeground': '#d67e00', 'debugTokenExpression-name': '#9b46b0', 'debugTokenExpression-string': '#a31515', 'debugTokenExpression-number': '#098658', 'charts-green': '#388a34', 'charts-red': '#e51400', 'charts-orange': '#d18616',
    },
  },
  'high-contrast': {
    bodyClass: 'vscode-high-contrast',
    variables: {
      ...shared,
      contrastBorder: '#6fc3df', contrastActiveBorder: '#f38518', foreground: '#ffffff', descriptionForeground: '#ffffffb3', disabledForeground: '#a5a5a5', errorForeground: '#f48771', focusBorder: '#f38518', 'icon-foreground': '#ffffff',
      'sideBar-background': '#000000', 'sideBar-foreground': '#ffffff', 'editor-background': '#000000', 'editor-foreground': '#ffffff', 'editorWidget-background': '#0c141f', 'editorLineNumber-foreground': '#ffffff', 'editorWarning-foreground': '#ffd370',
      'toolbar-hoverOutline': '#f38518', 'scrollbarSlider-background': '#6fc3df99', 'scrollbarSlider-hoverBackground': '#6fc3dfcc',
      'button-background': '#000000', 'button-foreground': '#ffffff', 'button-border': '#6fc3df', 'button-secondaryForeground': '#ffffff',
      'input-background': '#000000', 'input-foreground': '#ffffff', 'input-border': '#6fc3df', 'input-placeholderForeground': '#ffffffb3', 'dropdown-background': '#000000', 'dropdown-foreground': '#ffffff',
      'textLink-foreground': '#21a6ff', 'textLink-activeForeground': '#21a6ff', 'textCodeBlock-background': '#000000', 'textPreformat-foreground': '#ffffff', 'textPreformat-background': '#ffffff', 'textBlockQuote-border': '#ffffff',
      'list-hoverBackground': '#ffffff1a', 'progressBar-background': '#6fc3df', 'diffEditor-insertedTextBorder': '#33ff2eff', 'diffEditor-removedTextBorder': '#ff008f', 'gitDecoration-addedResourceForeground': '#a1e3ad', 'gitDecoration-deletedResourceForeground': '#c74e39',
      'debugTokenExpression-name': '#ffffff', 'debugTokenExpression-string': '#f48771', 'debugTokenExpression-number': '#89d185',
    },
  },
};
